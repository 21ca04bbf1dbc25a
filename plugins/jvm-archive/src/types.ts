/** A HotSpot whose archives we know how to make. */
export interface Jvm {
  /** The real file, links followed. */
  readonly executable: string;
  /** The number that decides which flags there are: 8, 17, 25. */
  readonly feature: number;
  /** Another build of the same version is another JVM: its archives are of no use here. */
  readonly identity: string;
}

/** A java that does not say what it is: it has to be asked, off the path of any launch. */
export interface UnknownJvm {
  readonly executable: string;
  readonly identity: string;
  readonly feature: undefined;
}

/** A call of java, as far as its archive depends on it. */
export interface JavaCall {
  /** What follows `java`; what follows the main class may be missing. */
  readonly args: readonly string[];
  /** Only those matter from which a JVM takes options or its class path. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Which program a call of java starts. */
export type Main =
  | {readonly kind: 'jar'; readonly path: string}
  | {readonly kind: 'class'; readonly name: string}
  /** `module` or `module/class`. */
  | {readonly kind: 'module'; readonly name: string};

/** A call of java, taken apart. */
export interface JavaArguments {
  /** Options for the JVM in the order in which they count, class and module path left out. */
  readonly options: readonly string[];
  /** As it was written: `-cp`, else `CLASSPATH`, else the jar. */
  readonly classPath: string | undefined;
  readonly modulePath: string | undefined;
  readonly main: Main;
}

/** A file of the program, as it was looked at: its path and its {@link contentIdentity}. */
export type ContentFile = readonly [path: string, identity: string];

/** A program whose classes can be archived. */
export interface Application {
  /** For people, without anything secret: `editor.jar`. */
  readonly label: string;
  /** Names the archive: equal only where JVM, class path with its content, options and main class are. */
  readonly key: string;
  readonly jvm: Jvm;
  readonly call: JavaCall;
  readonly arguments: JavaArguments;
  readonly content: readonly ContentFile[];
}
