import {join} from 'node:path';
import {hashed, type LaunchId} from 'bootcut/plugin';

/** A digest as part of a file name. */
export const shortDigest = (...parts: readonly string[]): string => hashed(JSON.stringify(parts)) ?? '';

/** Where things lie in the directory of this optimization. */
export const archivePath = (directory: string, key: string): string => join(directory, 'archives', `${key}.jsa`);
export const archiveNotePath = (directory: string, key: string): string => join(directory, 'archives', `${key}.json`);
export const scriptNotePath = (directory: string, script: string): string =>
  join(directory, 'scripts', `${script}.json`);
/** Its directory goes to the front of PATH, or the one above is a JAVA_HOME. */
export const scriptShimPath = (directory: string, script: string): string =>
  join(directory, 'scripts', script, 'bin', 'java');
export const answerPath = (directory: string, identity: string): string =>
  join(directory, 'jvms', `${shortDigest(identity)}.json`);

/** A JAVA_HOME of launches that are learnt from. */
export const learningHomePath = (directory: string, key: string): string => join(directory, 'homes', key);

/** What one launch is learnt from. */
export const learntPath = (directory: string, launch: LaunchId): string => join(directory, 'learnt', launch);
export const classListName = 'classes';
export const recordedCallName = 'call';
/** The classes that it loaded, as the JVM lists them. */
export const classListPath = (directory: string, launch: LaunchId): string =>
  join(learntPath(directory, launch), classListName);
/** How a start script called java. */
export const recordedCallPath = (directory: string, launch: LaunchId): string =>
  join(learntPath(directory, launch), recordedCallName);
export const learningShimPath = (directory: string, launch: LaunchId): string =>
  join(learntPath(directory, launch), 'bin', 'java');
