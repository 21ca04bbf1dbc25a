import {once} from 'node:events';
import {chmod, symlink, writeFile} from 'node:fs/promises';
import {createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {canRunGuests, collect, Keeper, VmBench, values} from './vm-bench.js';

/* The host looks along PATH for a guest that is as the host has it; whatever may differ, the guest looks for itself. */
describe.skipIf(!canRunGuests())('the place of a command', () => {
  let bench: VmBench;
  const at = (path: string): string => join(bench.root, path);
  const script = async (path: string, mode = 0o755): Promise<void> => {
    await writeFile(at(path), `#!/bin/sh\necho ${path} "$0"\n`);
    await chmod(at(path), mode);
  };
  const path = (...names: readonly string[]): readonly string[] => [
    '--env',
    `PATH=${[...names.map(at), '/usr/bin', '/bin'].join(':')}`,
  ];
  const run = async (name: string, options: readonly string[]): Promise<string> => {
    const {status, stdout} = await bench.run([name], {options: [...bench.template, ...options]});
    return `${status} ${String(stdout)}`;
  };

  beforeAll(async () => {
    bench = await VmBench.create(['tools', 'more']);
    await script('tools/both');
    await script('more/both');
    await script('more/one');
    await script('tools/plain', 0o644);
    await script('more/plain');
    // There on the host, and nowhere in the guest.
    await script('elsewhere');
    await symlink(at('elsewhere'), at('tools/leads-out'));
    await script('more/leads-out');
    await bench.makeTemplate();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it('is the first that can be executed, under the name that PATH gives it', async ({expect}) => {
    expect(await run('both', path('tools', 'more'))).toBe(`0 tools/both ${at('tools/both')}\n`);
    expect(await run('both', path('more', 'tools'))).toBe(`0 more/both ${at('more/both')}\n`);
    expect(await run('one', path('nowhere', 'tools', 'more'))).toBe(`0 more/one ${at('more/one')}\n`);
    expect(await run('plain', path('tools', 'more'))).toBe(`0 more/plain ${at('more/plain')}\n`);
    expect(await run('true', path('tools'))).toBe('0 ');
    expect(await run('not-there', path('tools', 'more'))).toBe('127 ');
  });

  it('is looked for in the guest where the host’s leads out of it', async ({expect}) => {
    expect(await run('leads-out', path('tools', 'more'))).toBe(`0 more/leads-out ${at('more/leads-out')}\n`);
  });

  it('may be a file that came for this launch', async ({expect}) => {
    const late = at('late');
    const server = createServer().listen(late);
    await once(server, 'listening');
    const connection = once(server, 'connection');
    const options = [...bench.template, '--late', late, '--late-limit', '60000', ...path('tools', 'more')];
    const ended = collect(bench.start(['one'], {options}));
    const [peer] = (await connection) as [Socket];
    peer.end(values([['file', at('tools/one'), '#!/bin/sh\necho came late\n', 0o755]], true));
    expect(String((await ended).stdout)).toBe('came late\n');
    server.close();
  });

  it('is the host’s word, not a search, in a guest that has run nothing of anybody’s', async ({expect}) => {
    const socket = at('standby');
    const warm = `printf '#!/bin/sh\\necho of the guest\\n' > ${at('tools/one')}; chmod +x ${at('tools/one')}`;
    const keeper = new Keeper(bench, ['--form', 'paused', '--socket', socket, ...bench.template, '--warm', warm]);
    await keeper.ready;
    const taken = await bench.run(['one'], {options: ['--standby', socket, ...path('tools', 'more')]});
    expect(String(taken.stdout)).toBe(`more/one ${at('more/one')}\n`);
    await keeper.ended;
  });
});
