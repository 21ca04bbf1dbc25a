import {spawn} from 'node:child_process';

/**
 * Runs a program found through PATH with stdin null and collects its stdout. Gives null when it cannot be started and
 * when `timeLimit` (milliseconds) passes, after which it is killed. Asynchronous, since a background update check has
 * to go on meanwhile.
 */
export function capture(witness, argv, {env = process.env, timeLimit, stderr = 'ignore'} = {}) {
  witness.call(argv);
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), {env, stdio: ['ignore', 'pipe', stderr]});
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    const timer =
      timeLimit === undefined
        ? undefined
        : setTimeout(() => {
            child.kill('SIGKILL');
            child.stdout.destroy();
            resolve(null);
          }, timeLimit);
    child.on('error', () => {
      clearTimeout(timer);
      resolve(null);
    });
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({status, stdout: Buffer.concat(chunks)});
    });
  });
}
