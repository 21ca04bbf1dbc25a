import {mkdirSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {findDirectories} from '../../../src/config/directories.js';
import type {LaunchRig} from '../../rig/launch-rig.js';
import {runScript, type ScriptProcess} from '../../rig/script-process.js';

/** Where the daemon of a rig listens. */
export const addressOf = (rig: LaunchRig): string => findDirectories(rig.environment()).socket ?? '';

/** What something else may do at the daemon's address, as the body of a function of its `socket`. */
export const manners = {
  'accepts and never answers': '',
  'greets with a higher protocol and then is silent': `greet(99, '9.0.0+9999999999.ffffffff')`,
  'greets with a lower protocol and then is silent': `greet(0, '0.0.1+1.00000000')`,
  'greets with another build and then is silent': `greet(1, '0.1.0+1.00000000')`,
  'sends random bytes': `socket.write(Buffer.from('f3a9c1d2e4b5968778695a4b3c2d1e0f00ff00ff', 'hex'))`,
  'sends 20 MB without sense': `socket.write(Buffer.alloc(20_000_000, 0x41))`,
  'closes at once': 'socket.destroy()',
  'answers every question with null': `greet(1, '0.1.0+1.00000000'); socket.write(frames.encodeFrame(0x90, Buffer.from('null')))`,
  'answers that it is something nobody knows': `greet(1, '0.1.0+1.00000000'); socket.write(frames.encodeFrame(0x90, Buffer.from('{"ok":false,"failure":{"reason":"on-holiday"}}')))`,
} as const;

/** Another process at the address of a rig's daemon, listening when this resolves. `setUp` runs in it first. */
export const startImpostor = async (path: string, manner: string, setUp = ''): Promise<ScriptProcess> => {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  rmSync(path, {force: true});
  const impostor = runScript(
    `
    import {createServer} from 'node:net';
    const frames = await ours('protocol/frames');
    const {encodeGreeting} = await ours('protocol/greeting');
    ${setUp}
    createServer((socket) => {
      socket.on('error', () => undefined).resume();
      const greet = (protocol, build) => socket.write(encodeGreeting('welcome', {protocol, build}));
      ${manner}
    }).listen(args[0], () => say('listening'));`,
    [path],
  );
  await impostor.line();
  return impostor;
};
