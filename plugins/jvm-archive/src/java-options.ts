/** Options of the launcher whose value is the next item, unless it follows an equals sign. */
const withValue = [
  '--add-modules',
  '--add-exports',
  '--add-opens',
  '--add-reads',
  '--enable-native-access',
  '--limit-modules',
  '--patch-module',
  '--upgrade-module-path',
  '--describe-module',
  '-d',
  '--source',
];

export const takesValue = (option: string): boolean => withValue.includes(option);

/** All options whose value is the next item. */
export const optionsWithValue: readonly string[] = [
  ...['-cp', '-classpath', '--class-path', '-p', '--module-path', '-m', '--module'],
  ...withValue,
];

/**
 * Options with which an archive works as without them. Whatever else a call has (an agent, a debugger, `-version`, archive
 * flags of the user's own, an option that a later JVM brings) means that it is left alone.
 */
const harmless: readonly RegExp[] = [
  /^-D(?!java\.(?:class\.path|home|system\.class\.loader)\b|jdk\.module\.)/,
  /^-X(?:ms|mx|ss|mn)\d/,
  /^-X(?:int|comp|mixed|batch|rs|noclassgc)$/,
  /^-(?:client|server|d64)$/,
  /^-(?:ea|da|esa|dsa|enableassertions|disableassertions|enablesystemassertions|disablesystemassertions)(?:$|:)/,
  /^-splash:/,
  /^-verbose:gc$/,
  /^-Xlog:(?:gc|safepoint)(?:[*+:=,]|$)(?!.*(?:class|cds|aot|module|all))/,
  /^--(?:add-modules|add-exports|add-opens|add-reads|enable-native-access|illegal-access)=/,
  /^--(?:enable-preview|finalization=|sun-misc-unsafe-memory-access=)/,
];

/** What the JVM's own flags must not be about: sharing, what is printed, checking of classes, files with more flags. */
const touchy =
  /Shar(?:e|ing)|CDS|AOT|Archiv|ClassList|Print|Log|Trace|Verif|Flags=|OptionsFile|FlightRecord|JVMCI|ErrorFile|Replay|Profil|Interval|Abort|OnError|Instrument/;

export const isHarmless = (option: string): boolean =>
  option.startsWith('-XX:') ? !touchy.test(option) : harmless.some((pattern) => pattern.test(option));

/** What the JVM that makes an archive must have in common with the one that uses it: memory layout and modules. */
const layout: readonly RegExp[] = [
  /^-Xmx/,
  /^-XX:(?:[+-]Use\w*GC|[+-]UseCompressed\w+|[+-]UseCompactObjectHeaders|[+-]Unlock\w+Options|[+-]ZGenerational)$/,
  /^-XX:(?:MaxHeapSize|MaxRAM|MaxRAMPercentage|ObjectAlignmentInBytes|ActiveProcessorCount|HeapBaseMinAddress|ShenandoahGCMode)=/,
  /^--(?:add-modules|enable-native-access)=/,
  /^--enable-preview$/,
];

export const isLayout = (option: string): boolean => layout.some((pattern) => pattern.test(option));

/** The value of a property may be a secret or change with each launch; archives do not depend on it. */
export const withoutValue = (option: string): string =>
  option.startsWith('-D') ? option.replace(/=[^]*$/, '=') : option;
