import {accessSync, constants, existsSync, mkdirSync, readdirSync, symlinkSync} from 'node:fs';
import {dirname, isAbsolute, join} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {orUndefined} from './remember-files.js';

/*
 * Scripts that call `$JAVA_HOME/bin/java` (Gradle's, Maven's) are given a home of ours, in which `bin/java` is our shim and
 * everything else a link to the home that they would have had. Only where their text shows that nobody sees the difference.
 */

/** What a script does with JAVA_HOME, where it does nothing with it but call java. */
export interface HomeUse {
  /** Files that it reads in, as they are written; what they would do is not known. */
  readonly sources: readonly string[];
}

const home = String.raw`"?\$(?:JAVA_HOME\b|\{JAVA_HOME(?::?-)?\})"?`;
const java = String.raw`${home}/(?:jre/(?:sh|bin)|bin)/java(?![\w./-])"?`;

/** Ahead of a command's name. */
const before = String.raw`(?:^|[;&|({\`]|\b(?:if|while|then|else|do|exec|nohup)\b)[ \t]*`;

/** Uses that come to the same in every home that has an executable `bin/java` and no `jre`. */
const harmless: readonly RegExp[] = [
  String.raw`-[nzd][ \t]+${home}(?=\s)`,
  String.raw`-[xfe][ \t]+${java}(?=\s)`,
  String.raw`${before}${java}(?=\s|$)`,
  String.raw`^[ \t]*(?:\w+=)${java}[ \t]*;?[ \t]*$`,
  // On another system only, or where there is no such java: what is said then is said without us too.
  String.raw`^.*\bcygpath\b.*$`,
  String.raw`JAVA_HOME="?\`\([ \t]*cd ${home}[ \t]*(?:;|&&)[ \t]*pwd[ \t]*\)\`"?`,
  String.raw`\b(?:set to an invalid directory|not defined correctly)\b.*${home}`,
].map((text) => new RegExp(text, 'gm'));

/** The whole environment is shown, or the variable is given to somebody or taken away. */
const shown =
  /(?:^|[;&|({`]|\b(?:then|else|do|exec))[ \t]*(?:env|printenv|set|export|declare|typeset)(?:[ \t]+-\w+)*[ \t]*(?:$|[;&|)}>`])|\b(?:export|unset|printenv|readonly|declare|typeset|local|read|eval)\b[^\n]*\bJAVA_HOME\b|\bJAVA_HOME[:?+]?=/m;

/** What a script's text says of JAVA_HOME; undefined where it does not call its java, or might do more with it. */
export const javaHomeUse = (text: string): HomeUse | undefined => {
  const code = text.replaceAll(/^[ \t]*#.*$/gm, '');
  if (!new RegExp(java).test(code)) return undefined;
  const names = [...code.matchAll(new RegExp(String.raw`^[ \t]*(\w+)=${java}`, 'gm'))].map(([, name = '']) => name);
  let rest = without(code, harmless);
  for (const name of new Set(names)) rest = without(rest, usesOf(name));
  const isTold = new RegExp(String.raw`\$\{?(?:${['JAVA_HOME', ...names].join('|')})\b`).test(rest);
  if (isTold || shown.test(rest)) return undefined;
  return {sources: [...code.matchAll(/^[ \t]*(?:\.|source)[ \t]+(\S+)/gm)].map(([, path = '']) => path)};
};

const without = (text: string, patterns: readonly RegExp[]): string =>
  patterns.reduce((left, pattern) => left.replaceAll(pattern, ' '), text);

/** A variable with the path of java in it is looked at and run. */
const usesOf = (name: string): readonly RegExp[] => {
  const value = String.raw`"?\$(?:${name}\b|\{${name}\})"?`;
  return [
    String.raw`-[nzxfe][ \t]+${value}(?=\s)`,
    String.raw`\bcommand -v ${value}(?=\s)`,
    String.raw`${before}${value}(?=\s|$)`,
  ].map((text) => new RegExp(text, 'gm'));
};

/** Does the launch have a home whose java such a script would run, and does it read in nothing that we do not know? */
export const homeOf = (launch: Launch, {sources}: HomeUse): string | undefined => {
  const own = launch.env['JAVA_HOME'] ?? '';
  if (!isAbsolute(own) || sources.some((written) => mayExist(written, launch.env['HOME']))) return undefined;
  if (['jre/sh/java', 'jre/bin/java'].some((path) => existsSync(join(own, path)))) return undefined;
  return orUndefined(() => {
    accessSync(`${own}/bin/java`, constants.X_OK);
    return own;
  });
};

const mayExist = (written: string, userHome: string | undefined): boolean => {
  const path = written.replaceAll('"', '').replace(/^(?:\$HOME|\$\{HOME\}|~)(?=\/)/, userHome ?? '');
  return !/^\/[\w./@+-]*$/.test(path) || existsSync(path);
};

/** Everything of the real home but `bin/java`, as links beside the shim. What cannot be linked is missing. */
export const linkHome = (shim: string, real: string): void => {
  const own = dirname(dirname(shim));
  for (const folder of ['', 'bin']) {
    orUndefined(() => mkdirSync(join(own, folder), {recursive: true, mode: 0o700}));
    for (const name of orUndefined(() => readdirSync(join(real, folder))) ?? []) {
      if (name !== 'bin' && !(folder === 'bin' && name === 'java'))
        orUndefined(() => symlinkSync(join(real, folder, name), join(own, folder, name)));
    }
  }
};
