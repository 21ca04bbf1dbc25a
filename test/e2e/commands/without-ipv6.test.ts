import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {BenchReport} from '../../../src/bench/report.js';
import {bootcut, LaunchRig, quoted} from '../../rig/launch-rig.js';

/** A network of its own with the loopback interface alone and without IPv6, and a hosts file that names nothing. */
const machine = (hosts: string, line: string): readonly string[] => [
  'unshare',
  '--net',
  '--mount',
  'sh',
  '-c',
  `ip link set lo up && echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && mount --bind ${quoted(hosts)} /etc/hosts && ${line}`,
];

const canHaveOne = spawnSync('sh', ['-c', machine('/dev/null', 'true').map(quoted).join(' ')]).status === 0;

describe('R1: a machine without IPv6', () => {
  it.skipIf(!canHaveOne)(
    'is one where localhost is 127.0.0.1, with and without a name for it (skipped without the right to make one)',
    async ({expect}) => {
      await using rig = await LaunchRig.create();
      const server = await rig.script(
        'server.cjs',
        "require('http').createServer((request, response) => response.end('ok')).listen(8123, process.argv[2])",
      );
      for (const [names, host] of [
        ['127.0.0.1 localhost\n', '127.0.0.1'],
        ['127.0.0.1 localhost\n', '0.0.0.0'],
        ['127.0.0.1 localhost\n', 'localhost'],
        ['127.0.0.1 localhost\n::1 localhost\n', '127.0.0.1'],
        ['', '127.0.0.1'],
      ] as const) {
        const hosts = join(rig.root, 'hosts');
        writeFileSync(hosts, names);
        const until = ['port:8123', 'port:localhost:8123', 'http://localhost:8123/', 'http://127.0.0.1:8123/'];
        const words = ['bench', '-n', '1', '--warmup', '0', '--limit', '20s', '--json'];
        const line = [bootcut, ...words, ...until.flatMap((one) => ['-u', one]), '--', 'node', server, host];
        const {stdout, stderr} = await rig.shell(machine(hosts, line.map(quoted).join(' ')).map(quoted).join(' '));
        expect(stderr).toBe('');
        const [run] = (JSON.parse(stdout) as BenchReport).result.runs;
        expect([names, host, run?.why]).toEqual([names, host, undefined]);
        const answered = run?.milestones.find(({name}) => name === 'http://localhost:8123/')?.detail;
        expect(answered).toContain(`on ${host === '0.0.0.0' ? host : '127.0.0.1'}:8123`);
      }
      writeFileSync(join(rig.root, 'hosts'), '::1 localhost\n127.0.0.1 localhost\n');
      const connect = await rig.shell(
        machine(
          join(rig.root, 'hosts'),
          `{ node ${quoted(server)} 127.0.0.1 & } && ${quoted(bootcut)} connect http://localhost:8123/ --wait 20s --json; kill $!`,
        )
          .map(quoted)
          .join(' '),
      );
      expect(connect.stdout).toContain('127.0.0.1');
    },
  );
});
