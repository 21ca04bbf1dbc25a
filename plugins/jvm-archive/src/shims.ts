import {delimiter, dirname, isAbsolute} from 'node:path';
import {optionsWithValue} from './java-options.js';
import {learningFlags, usingFlags} from './jvm-flags.js';
import {classListName, recordedCallName} from './names.js';
import {shellWord} from './shell-text.js';
import type {Application, Jvm} from './types.js';

/*
 * A `java` of ours that stands first in the PATH of a start script, or in a JAVA_HOME of ours. It takes itself out of PATH
 * and JAVA_HOME again, so that the program and everything that it starts see what they would have seen, and becomes the java
 * that is found then: another one than was expected, or called in another way, gets no flag of ours.
 */

interface ShimOptions {
  /** Where the shim will lie. */
  readonly path: string;
  readonly jvm: Jvm;
  /** As the launch finds java in its PATH or its JAVA_HOME. */
  readonly java: string;
  /** The launch's JAVA_HOME, where the script takes java from there. */
  readonly home: string | undefined;
}

/** `first`: what has to happen whatever becomes of the call. */
const opening = (options: Omit<ShimOptions, 'jvm'>, first = ''): string => `#!/bin/sh
# Written by bootcut (plugin jvm-archive; docs/optimizations.md). May be removed at any time.
${first}${options.home === undefined ? outOfPath(options) : outOfHome(options, options.home)}`;

const optionVariables = `"\${JAVA_TOOL_OPTIONS-}\${JDK_JAVA_OPTIONS-}\${_JAVA_OPTIONS-}"`;

/** Names the directory of the launch that is learnt from, to a shim that serves all of them; the program does not see it. */
export const learntVariable = 'BOOTCUT_JAVA_LEARNT';

const outOfHome = ({path, java}: Omit<ShimOptions, 'jvm'>, home: string): string => `bootcut_java=${shellWord(java)}
[ "\${JAVA_HOME-}" != ${shellWord(dirname(dirname(path)))} ] || JAVA_HOME=${shellWord(home)}
if [ -n ${optionVariables} ]; then
  exec "$bootcut_java" "$@"
fi
`;

const outOfPath = ({path, java}: Omit<ShimOptions, 'jvm'>): string => `bootcut_shims=${shellWord(dirname(path))}
case "$PATH" in
*"$bootcut_shims:"*) PATH=\${PATH%%"$bootcut_shims:"*}\${PATH#*"$bootcut_shims:"} ;;
esac
bootcut_java=$(command -v java) || bootcut_java=${shellWord(java)}
case "$bootcut_java" in
"$bootcut_shims/"*) exec ${shellWord(java)} "$@" ;;
esac
if [ "$bootcut_java" != ${shellWord(java)} ] || [ -n ${optionVariables} ]; then
  exec "$bootcut_java" "$@"
fi
`;

/** Calls that are left alone anyway, and that an option to list classes would not go together with. */
const leftAlone = [
  ...['-Xshare', '-XX:SharedArchiveFile', '-XX:AOT', '-XX:ArchiveClassesAtExit', '-XX:+AutoCreateSharedArchive'],
  ...['-XX:DumpLoadedClassList', '-XX:SharedClassListFile', '-javaagent', '-agent', '@'],
];

/** Writes down how the first java of this launch is called and has it list its classes. */
export const learningShim = (
  options: Omit<ShimOptions, 'home'> & {readonly call: string; readonly classList: string},
): string =>
  `${opening({...options, home: undefined})}
${recording(options.jvm, shellWord(options.call), shellWord(options.classList))}`;

/** The same for the shim of a home of ours, which is there for all launches: each says in a variable where it is learnt. */
export const learningHomeShim = (options: ShimOptions & {readonly home: string}): string =>
  `${opening(options, `bootcut_learnt=\${${learntVariable}-}\nunset ${learntVariable}\n`)}
[ -n "$bootcut_learnt" ] || exec "$bootcut_java" "$@"
${recording(options.jvm, `"$bootcut_learnt"/${recordedCallName}`, `"$bootcut_learnt"/${classListName}`)}`;

/** `call` and `classList` are words of a shell. */
const recording = ({feature}: Jvm, call: string, classList: string): string => `
put() { printf '%s\\0' "$@"; }
record() {
  put "$(pwd -P)" "\${CLASSPATH-}"
  while [ $# -gt 0 ]; do
    case $1 in
    -D*=*) put "\${1%%=*}=" ;;
    ${optionsWithValue.join('|')}) put "$1" "\${2-}"; [ $# -lt 2 ] || shift ;;
    -*) put "$1" ;;
    *) put "$1"; return ;;
    esac
    shift
  done
}
case " $*" in
${leftAlone.map((option) => `*" ${option}"*`).join('|')}) exec "$bootcut_java" "$@" ;;
esac
bootcut_call=${call}
# Whoever makes this directory is the first java of the launch.
mkdir "$bootcut_call.taken" 2>/dev/null || exec "$bootcut_java" "$@"
(umask 077; record "$@" >"$bootcut_call") 2>/dev/null || exec "$bootcut_java" "$@"
exec "$bootcut_java" ${learningFlags(feature, '').map(shellWord).join(`${classList} `)} "$@"
`;

/** Gives java its archive when it is called just as it was when the archive was made. */
export const usingShim = (
  options: Omit<ShimOptions, 'jvm'> & {readonly application: Application; readonly archive: string},
): string => `${opening(options)}
if ${conditions(options.application).join(' &&\n  ')}; then
  exec "$bootcut_java" ${usingFlags(options.application.jvm.feature, options.archive).map(shellWord).join(' ')} "$@"
fi
exec "$bootcut_java" "$@"
`;

/** A relative class path means something else in every directory. */
const isRelative = ({arguments: {classPath, modulePath}}: Application): boolean =>
  [classPath, modulePath].some((path) => path?.split(delimiter).some((item) => !isAbsolute(item)) === true);

const conditions = (application: Application): readonly string[] => {
  const {args, env, cwd} = application.call;
  return [
    `[ $# -ge ${args.length} ]`,
    `[ "\${CLASSPATH-}" = ${shellWord(env['CLASSPATH'] ?? '')} ]`,
    ...(!isRelative(application) ? [] : [`[ "$(pwd -P)" = ${shellWord(cwd)} ]`]),
    ...args.map((arg, index) =>
      /^-D.*=$/.test(arg)
        ? `case "\${${index + 1}}" in ${shellWord(arg)}*) ;; *) false ;; esac`
        : `[ "\${${index + 1}}" = ${shellWord(arg)} ]`,
    ),
  ];
};
