import {readArgumentFile} from './argument-file.js';
import {isHarmless, takesValue} from './java-options.js';
import {splitOptions} from './split-options.js';
import type {JavaArguments, JavaCall, Main} from './types.js';

interface Draft {
  readonly options: string[];
  classPath: string | undefined;
  modulePath: string | undefined;
}

/** Takes a call of java apart; undefined for one that is left alone. */
export const parseJavaArguments = (call: JavaCall): JavaArguments | undefined => {
  const {JAVA_TOOL_OPTIONS: before = '', JDK_JAVA_OPTIONS: launcher = '', _JAVA_OPTIONS: after = ''} = call.env;
  const [first, early, late] = [before, launcher, after].map(splitOptions);
  if (first === undefined || early === undefined || late === undefined) return undefined;
  const draft: Draft = {options: [...first], classPath: undefined, modulePath: undefined};
  const main = takeArguments(draft, [...early, ...call.args], call.cwd);
  draft.options.push(...late);
  if (main === undefined || !draft.options.every(isHarmless)) return undefined;
  return {options: draft.options, classPath: classPathOf(main, draft, call), modulePath: draft.modulePath, main};
};

const classPathOf = (main: Main, {classPath}: Draft, {env}: JavaCall): string | undefined => {
  if (main.kind === 'jar') return main.path;
  const fromVariable = env['CLASSPATH'] === '' ? undefined : env['CLASSPATH'];
  // Without any, java looks into the current directory, unless the program is a module.
  return classPath ?? fromVariable ?? (main.kind === 'class' ? '.' : undefined);
};

/** Goes through the options to what is to be started. */
const takeArguments = (draft: Draft, given: readonly string[], cwd: string): Main | undefined => {
  const args = [...given];
  let jar = false;
  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    if (arg.startsWith('@') && !arg.startsWith('@@')) {
      const items = readArgumentFile(cwd, arg.slice(1));
      // An item of such a file that begins with @ is not a file again.
      if (items === undefined || items.some((item) => item.startsWith('@'))) return undefined;
      args.unshift(...items);
    } else if (!arg.startsWith('-')) return mainOf(arg, jar);
    else if (arg === '-jar') jar = true;
    else if (/^(?:-m|--module)$/.test(arg)) return moduleOf(args.shift());
    else if (arg.startsWith('--module=')) return moduleOf(arg.slice('--module='.length));
    else if (!takeOption(draft, arg, args)) return undefined;
  }
  return undefined;
};

const takeOption = (draft: Draft, arg: string, rest: string[]): boolean => {
  const [, name = '', value] = /^(--[a-z-]+)=([^]*)$/.exec(arg) ?? ['', arg];
  if (/^(?:-cp|-classpath|--class-path)$/.test(name)) draft.classPath = value ?? rest.shift();
  else if (/^(?:-p|--module-path)$/.test(name)) draft.modulePath = value ?? rest.shift();
  else if (value === undefined && takesValue(arg)) {
    const next = rest.shift();
    if (next === undefined) return false;
    draft.options.push(`${arg}=${next}`);
  } else draft.options.push(arg);
  return true;
};

const mainOf = (name: string, jar: boolean): Main | undefined => {
  if (jar) return {kind: 'jar', path: name};
  // `java Program.java` compiles first: its classes are nowhere to be archived from.
  return name.endsWith('.java') || name.startsWith('@') ? undefined : {kind: 'class', name};
};

const moduleOf = (name: string | undefined): Main | undefined =>
  name === undefined || name === '' ? undefined : {kind: 'module', name};
