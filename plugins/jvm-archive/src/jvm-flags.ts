/** JVMs before it know no archive of a program's own classes without a licence or with other flags. */
const firstFeature = 13;

export const canArchive = (feature: number): boolean => feature >= firstFeature;

/**
 * Keeps the JVM from saying anything about archives on the program's stdout: since 24 it does for every one that it cannot
 * use. The list names tags: a JVM refuses to start over one that it does not know.
 */
const quiet = (feature: number): string => (feature >= 24 ? '-Xlog:cds*=off,aot*=off' : '-Xlog:cds*=off');

/** The JVM writes down which classes it loads: costs a few per cent of a launch, and nothing at its end. */
export const learningFlags = (feature: number, classList: string): readonly string[] => [
  `-XX:DumpLoadedClassList=${classList}`,
  quiet(feature),
];

export const usingFlags = (feature: number, archive: string): readonly string[] => [
  `-XX:SharedArchiveFile=${archive}`,
  quiet(feature),
];

/** Makes an archive from such a list, without running anything of the program. Errors come on stderr, nothing else does. */
export const makingFlags = (feature: number, classList: string, archive: string): readonly string[] => [
  '-Xshare:dump',
  `-XX:SharedClassListFile=${classList}`,
  `-XX:SharedArchiveFile=${archive}`,
  // Classes that are linked already when they come out of the archive: a quarter more is saved (JDK 24 and later).
  ...(feature >= 24 ? ['-XX:+AOTClassLinking'] : []),
  ...onlyErrors,
];

/** The JVM ends with a failure where it cannot use the archive. */
export const checkingFlags = (archive: string): readonly string[] => [
  '-Xshare:on',
  `-XX:SharedArchiveFile=${archive}`,
  ...onlyErrors,
];

const onlyErrors = ['-Xlog:disable', '-Xlog:all=error:stderr'];

/** A colon would part two archives, a per cent sign would begin a process id. */
export const isUsablePath = (path: string): boolean => !/[:%]/.test(path);
