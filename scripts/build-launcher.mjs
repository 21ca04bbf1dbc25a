/*
 * Builds the native launcher from launcher/*.c: `launcher/bootcut-launch`, and with `--sanitized` also
 * `launcher/bootcut-launch-sanitized` for the tests. Without a compiler it says so in one line and that is all: launches
 * then go through Node. `CC` names a compiler; otherwise the first of musl-gcc (static, the quickest start), cc, gcc, clang.
 */
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {compileNative, findCompiler} from './compile-native.mjs';

const directory = fileURLToPath(new URL('../launcher/', import.meta.url));

const plain = '-O2 -fstack-protector-strong';
/** No lazy binding: a short run never gets its cost back. Apple's linker has neither option. */
const earlyBinding = process.platform === 'darwin' ? '' : '-fPIE -pie -Wl,-z,relro,-z,now';
const sanitized = '-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined';

/** The sanitizers' run time does not go with musl. */
const compilers = {plain: ['musl-gcc', 'cc', 'gcc', 'clang'], sanitized: ['cc', 'gcc', 'clang']};

const flagsOf = (wanted, compiler) => {
  const linking = compiler?.includes('musl') === true ? '-static' : earlyBinding;
  return wanted === 'plain' ? `${plain} ${linking} -s` : sanitized;
};

/** Builds one of the two into `target`, unless it is there already, made from these sources by this compiler. */
export const buildLauncher = (
  wanted = 'plain',
  target = join(directory, `bootcut-launch${wanted === 'plain' ? '' : '-sanitized'}`),
) => {
  const compiler = findCompiler(compilers[wanted]);
  return compileNative({directory, target, compiler, flags: flagsOf(wanted, compiler)});
};

/** What waits for the first use of a command or a file; see launcher/first-use/README.md. */
export const buildFirstUse = () => {
  if (process.platform !== 'linux') return {built: false, reason: 'it is for Linux'};
  const own = join(directory, 'first-use');
  return compileNative({
    directory: own,
    target: join(own, 'bootcut-first-use'),
    compiler: findCompiler(compilers.plain),
    flags: `${plain} -static -pthread -s`,
  });
};

/** What reads files ahead for the plugin warm-pages. */
export const buildReadAhead = () => {
  if (process.platform !== 'linux') return {built: false, reason: 'it is for Linux'};
  const own = fileURLToPath(new URL('../plugins/warm-pages/native/', import.meta.url));
  return compileNative({
    directory: own,
    target: join(own, 'bootcut-read-ahead'),
    compiler: findCompiler(compilers.plain),
    flags: `${plain} -static -s`,
  });
};

const main = () => {
  const wanted = process.argv.includes('--sanitized') ? ['plain', 'sanitized'] : ['plain'];
  for (const kind of wanted) {
    const result = buildLauncher(kind);
    if (!result.built) console.log(`launcher: not built, ${result.reason}; launches go through Node`);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
