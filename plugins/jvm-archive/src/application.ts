import {basename} from 'node:path';
import {contentOf} from './class-path.js';
import {withoutValue} from './java-options.js';
import {shortDigest} from './names.js';
import {parseJavaArguments} from './parse-arguments.js';
import type {Application, JavaCall, Jvm, Main} from './types.js';

/** The program that a call of this JVM starts; undefined for one that is left alone. */
export const applicationOf = (jvm: Jvm, call: JavaCall): Application | undefined => {
  const parsed = parseJavaArguments(call);
  if (parsed === undefined) return undefined;
  const content = contentOf(parsed, call.cwd);
  if (content === undefined) return undefined;
  const key = shortDigest(
    jvm.identity,
    // As it was written: the JVM compares the texts too.
    parsed.classPath ?? '',
    parsed.modulePath ?? '',
    JSON.stringify(parsed.main),
    ...[...new Set(parsed.options.map(withoutValue))],
    '\0',
    ...content.flat(),
  );
  return {label: labelOf(parsed.main), key, jvm, call, arguments: parsed, content};
};

const labelOf = (main: Main): string => (main.kind === 'jar' ? basename(main.path) : main.name);
