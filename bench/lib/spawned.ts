import {spawn, spawnSync} from 'node:child_process';

export interface Where {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Wall time of a program from its start to its end, by our clock; it must end with status 0. Blocks this process. */
export const timeSync = ([program = '', ...args]: readonly string[], {env, cwd}: Where): number => {
  const began = performance.now();
  const {status, stderr} = spawnSync(program, args, {env, cwd, stdio: ['ignore', 'ignore', 'pipe']});
  const took = performance.now() - began;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return took;
};

/** The same for a program that talks to servers of this process. */
export const time = async ([program = '', ...args]: readonly string[], {env, cwd}: Where): Promise<number> => {
  const began = performance.now();
  const child = spawn(program, args, {env, cwd, stdio: ['ignore', 'ignore', 'pipe']});
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = await new Promise<{readonly status: number | null; readonly at: number}>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve({status, at: performance.now()}));
  });
  if (ended.status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${ended.status}: ${stderr}`);
  return ended.at - began;
};
