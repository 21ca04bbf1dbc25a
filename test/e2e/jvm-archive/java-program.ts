import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A JDK of this machine. */
export interface Jdk {
  readonly feature: number;
  /** Its `bin/java`. */
  readonly java: string;
}

const home = '/usr/lib/jvm';

const findJdk = (feature: number): Jdk | undefined =>
  readdirSync(home)
    .map((name) => join(home, name))
    .filter((path) => isOf(path, feature))
    .map((path) => ({feature, java: join(realpathSync(path), 'bin', 'java')}))[0];

const isOf = (path: string, feature: number): boolean => {
  try {
    return readFileSync(join(path, 'release'), 'utf8').includes(`JAVA_VERSION="${feature}.`);
  } catch {
    return false;
  }
};

/** JDK 17 has to be there (Debian's openjdk-17-jdk-headless); JDK 25 is in no Debian yet. */
export const jdk17 = findJdk(17);
export const jdk25 = findJdk(25);

/** Says what it is told on both streams, and ends as it is told: with a status, or by SIGKILL. */
const source = `
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

public class Program {
  interface Greeting { String of(String name); }
  public static void main(String[] args) throws Exception {
    Greeting greeting = name -> "hello " + name;
    System.out.println(Arrays.stream(args).map(greeting::of).collect(Collectors.joining("\\n")));
    System.out.println("PATH=" + System.getenv("PATH") + " JAVA_HOME=" + System.getenv("JAVA_HOME") + " x=" + System.getProperty("x"));
    System.err.println("to stderr");
    System.out.flush();
    if (args.length == 0) return;
    if (args[0].equals("maps")) {
      Files.lines(Path.of("/proc/self/maps")).filter(line -> line.endsWith(".jsa")).forEach(System.out::println);
      return;
    }
    if (args[0].equals("kill")) new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
    System.exit(Integer.parseInt(args[0]));
  }
}
`;

let built: Buffer | undefined;

/** The program as a jar at `path`: the same bytes each time, compiled once. */
export const writeProgram = (path: string): void => {
  built ??= build();
  writeFileSync(path, built);
};

const build = (): Buffer => {
  if (jdk17 === undefined) throw new Error('no JDK 17: apt-get install -y openjdk-17-jdk-headless');
  const directory = mkdtempSync(join(tmpdir(), 'bootcut-program-'));
  const tool = (name: string, ...args: readonly string[]): void => {
    execFileSync(jdk17.java.replace(/java$/, name), args, {cwd: directory, stdio: 'pipe'});
  };
  writeFileSync(join(directory, 'Program.java'), source);
  tool('javac', '-d', 'classes', 'Program.java');
  tool('jar', 'cfe', 'program.jar', 'Program', '-C', 'classes', '.');
  const jar = readFileSync(join(directory, 'program.jar'));
  rmSync(directory, {recursive: true});
  return jar;
};
