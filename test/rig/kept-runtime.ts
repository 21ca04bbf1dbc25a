import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {LaunchRig} from './launch-rig.js';
import {linkPlugin} from './linked-plugin.js';

/** A runtime whose "VM" is a Node process: kept by one program, used or done without by the other. */
const plugin = (dir: string): string => `
import {definePlugin, defineRuntime} from 'bootcut/plugin';
export default definePlugin({
  name: 'kept',
  runtimes: [defineRuntime({
    name: 'kept', verbs: [],
    plan: (launch) => [
      {kind: 'executable', path: '${process.execPath}'}, {kind: 'prefix-args', args: ['node', '${dir}/use.mjs']},
      {kind: 'standby', key: [launch.cwd, launch.env.IMAGE ?? '', launch.env.BY_VERB === undefined ? '' : launch.verb], place: launch.cwd, memory: Number(launch.env.MEMORY ?? 64),
        command: ['${process.execPath}', '${dir}/keep.mjs', '{socket}', launch.env.KEEP ?? ''], env: {}},
    ],
  })],
});
`;

const keep = `
import {unlinkSync} from 'node:fs';
import {createServer} from 'node:net';
const [, , path, how] = process.argv;
if (how === 'fails') { console.error('no kernel'); process.exit(1); }
process.stdin.resume().on('end', () => { if (!taken) process.exit(); });
let taken = false;
const server = createServer((launch) => {
  if (taken) return launch.destroy();
  taken = true;
  unlinkSync(path);
  launch.end(String(process.pid));
  launch.on('close', () => process.exit());
});
server.listen(path, () => console.log('ready\\n' + JSON.stringify({form: 'paused', rss: 2048, boot: 12})));
`;

const use = `
import {createConnection} from 'node:net';
const {BOOTCUT_STANDBY: path} = process.env;
if (path === undefined) console.log('booted');
else createConnection(path).on('data', (pid) => console.log('standby ' + pid)).on('error', () => console.log('lost'));
`;

/**
 * Links the runtime `kept`, which has standbys. Of its launches' environment: `IMAGE` and, if there is one, `BY_VERB` with
 * the verb are in the standby's key; `MEMORY` is what it needs in MiB; `KEEP=fails` keeps it from booting.
 */
export const linkKeptRuntime = async (rig: LaunchRig): Promise<void> => {
  await writeFile(join(rig.root, 'keep.mjs'), keep);
  await writeFile(join(rig.root, 'use.mjs'), use);
  await linkPlugin(rig, 'kept', plugin(rig.root));
};
