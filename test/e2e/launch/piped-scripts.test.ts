import {describe, it} from 'vitest';
import {bootcut, fronts, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {run} from '../../rig/program.js';

describe.each(fronts)('What a launch names on its command line and is no plain file, $front', ({env, daemon}) => {
  it('reaches the program that reads it: a script, a JVM’s arguments, a text behind -c', async ({expect}) => {
    await using rig = await LaunchRig.create();
    if (daemon) await rig.startDaemon();
    const line = async (text: string): Promise<string> => {
      const script = `bootcut() { ${quoted(bootcut)} "$@"; }\n${text}`;
      const {stdout, stderr} = await run(['/bin/bash', '-c', script], {env: rig.environment(env), cwd: rig.dir});
      return stdout + stderr;
    };
    expect(await line(`bootcut run -- bash <(echo 'echo from a pipe')`)).toBe('from a pipe\n');
    expect(await line(`mkfifo fifo; (sleep 1; echo 'echo late' > fifo) & bootcut run -- sh fifo`)).toBe('late\n');
    expect(await line(`bootcut run -- sh /dev/stdin <<< 'echo from stdin'`)).toBe('from stdin\n');
    // Another launch meanwhile: a daemon that reads what is not its own would stand still.
    expect(
      await line(`mkfifo other; bootcut run -- sh other & bootcut run -- echo on; echo 'echo off' > other; wait`),
    ).toBe('on\noff\n');
  });
});
