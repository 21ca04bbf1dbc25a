/*
 * Builds the native part of the runtime `qemu`: `bootcut-vm` for the host and `bootcut-agent` for the guest (static:
 * the guest has no libraries when it starts), and with `--sanitized` also `bootcut-vm-sanitized` for the tests. Without a
 * compiler it says so in one line and that is all: every other runtime works. `CC` names a compiler; otherwise the first
 * of musl-gcc (static, the quickest start), cc, gcc, clang.
 */
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {compileNative, findCompiler} from '../../../scripts/compile-native.mjs';

const directory = fileURLToPath(new URL('.', import.meta.url));

/** glibc warns of results that a `(void)` says are not wanted; musl does not. */
const quiet = '-Wno-unused-result';

const programs = {
  host: {target: 'bootcut-vm', parts: ['host', 'shared'], flags: '-O2 -fstack-protector-strong -s', mayBeDynamic: true},
  agent: {target: 'bootcut-agent', parts: ['guest', 'shared'], flags: '-O2 -static -s', mayBeDynamic: false},
  counter: {target: 'tsc-khz', parts: ['counter'], flags: '-O2 -s', mayBeDynamic: true},
  sanitized: {
    target: 'bootcut-vm-sanitized',
    parts: ['host', 'shared'],
    flags: '-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all',
    mayBeDynamic: true,
  },
};

/** The sanitizers' run time does not go with musl. */
const compilersFor = (kind) => (kind === 'sanitized' ? ['cc', 'gcc', 'clang'] : ['musl-gcc', 'cc', 'gcc', 'clang']);

/** Builds one of them, unless it is there already, made from these sources by this compiler. */
export const buildNative = (kind) => {
  const {target, parts, flags, mayBeDynamic} = programs[kind];
  if (process.platform !== 'linux') return {built: false, reason: 'it is for Linux'};
  const compiler = findCompiler(compilersFor(kind));
  const linking = mayBeDynamic && compiler?.includes('musl') === true ? '-static' : '';
  return compileNative({
    directory,
    parts,
    target: join(directory, target),
    compiler,
    flags: `${quiet} ${flags} ${linking}`,
  });
};

/** All that a launch needs; what is missing is said in one line. */
export const buildAll = (kinds = ['host', 'agent', 'counter']) => {
  for (const kind of kinds) {
    const result = buildNative(kind);
    if (!result.built)
      console.log(`${programs[kind].target}: not built, ${result.reason}; the runtime qemu is not usable`);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildAll(['host', 'agent', 'counter', ...(process.argv.includes('--sanitized') ? ['sanitized'] : [])]);
}
