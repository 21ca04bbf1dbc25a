import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {connect} from 'node:net';
import {test} from 'vitest';
import {requireProgram} from '../../rig/program.js';
import {startRedis} from '../../rig/redis.js';

test('the real redis-server keeps nothing, answers on loopback and ends at dispose', async ({expect}) => {
  const redis = await startRedis();
  const client = connect(redis.port, '127.0.0.1').setEncoding('utf8');
  client.write('SET a 1\r\nGET a\r\nCONFIG GET save\r\n');
  let text = '';
  while (!text.endsWith('save\r\n$0\r\n\r\n')) text += String((await once(client, 'data'))[0]);
  expect(text).toContain('+OK\r\n$1\r\n1\r\n');
  client.destroy();
  await redis[Symbol.asyncDispose]();
  expect(() => process.kill(redis.pid, 0)).toThrow(/ESRCH/);
  expect(existsSync(redis.socketPath)).toBe(false);
});

test('a missing program is named with its package', ({expect}) => {
  expect(() => requireProgram('no-such-program', 'some-package')).toThrow(
    'no-such-program is not installed: this test needs it (apt-get install -y some-package)',
  );
});
