import {type Launch, NoAnswer, run, seconds} from 'bootcut/plugin';
import {featureVersion} from './feature-version.js';
import {answerPath} from './names.js';
import {field, jsonFile, storeFile} from './store-file.js';
import type {UnknownJvm} from './types.js';

/** What a JVM said of itself. */
export interface JvmAnswer {
  /** 0 for one that is no HotSpot. */
  readonly feature: number;
}

/** What this JVM said when it was asked; undefined as long as nobody has. */
export const readAnswer = (directory: string, identity: string): JvmAnswer | undefined =>
  stored(answerPath(directory, identity));

const stored = jsonFile((value): JvmAnswer | undefined => {
  const feature = field(value, 'feature');
  return typeof feature === 'number' ? {feature} : undefined;
});

/** Asks a JVM what it is and keeps the answer until one of its files changes. Throws where it gives none. */
export const askJvm = async (
  launch: Launch,
  {executable, identity}: UnknownJvm,
  {directory, signal}: {readonly directory: string; readonly signal: AbortSignal},
): Promise<JvmAnswer> => {
  const silenced = {JAVA_TOOL_OPTIONS: undefined, _JAVA_OPTIONS: undefined, JDK_JAVA_OPTIONS: undefined};
  const argv = [executable, '-XshowSettings:properties', '-version'];
  const {stdout, stderr} = await run(launch, argv, {signal, limit: seconds(20), cwd: '/', env: silenced});
  const answer = parseProperties(`${stdout}\n${stderr}`);
  if (answer === undefined) throw new NoAnswer('malformed', `${executable} does not say which version it is`);
  storeFile(answerPath(directory, identity), JSON.stringify(answer));
  return answer;
};

/** Goes by the list of properties, which other lines may stand before: notices of a wrapper, options picked up. */
export const parseProperties = (text: string): JvmAnswer | undefined => {
  const property = (name: string): string | undefined =>
    new RegExp(`^ {4}${name.replaceAll('.', '\\.')} = (.*)$`, 'm').exec(text)?.[1]?.trim();
  const feature = featureVersion(property('java.specification.version') ?? property('java.version') ?? '');
  if (feature === undefined) return undefined;
  const name = property('java.vm.name') ?? '';
  return {feature: /HotSpot|OpenJDK|GraalVM/i.test(name) && !/J9/i.test(name) ? feature : 0};
};
