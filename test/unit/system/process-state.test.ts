import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {expect, it} from 'vitest';
import {socketsOf} from '../../../src/readiness/process-tree.js';
import {isRunning} from '../../../src/system/is-running.js';
import {processState} from '../../../src/system/process-state.js';

/** Ends its first thread alone (`exit`, 60 on x86-64 and 93 on arm64) while a second one sleeps with a socket open. */
const firstThreadEnds = `
import ctypes, platform, socket, threading, time
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()
threading.Thread(target=lambda: time.sleep(60)).start()
ctypes.CDLL(None).syscall(60 if platform.machine() == 'x86_64' else 93, 0)
`;

const letterOf = (pid: number): string | undefined => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('takes a process whose first thread has ended for one that runs: it holds its sockets', async () => {
  const child = spawn('python3', ['-c', firstThreadEnds], {stdio: 'ignore'});
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const pid = child.pid ?? 0;
  try {
    await until(() => letterOf(pid) === 'Z');
    expect(processState(pid)).toMatchObject({parent: process.pid});
    expect(isRunning(pid)).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  expect(processState(pid)).toBeUndefined();
  expect(isRunning(pid)).toBe(false);
  expect(socketsOf(pid)).toEqual([]);
});

it('takes one of which only the entry is left for ended', async () => {
  // The shell becomes a program that never asks for its children: the first one stays a zombie.
  const child = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], {stdio: ['ignore', 'pipe', 'ignore']});
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)));
    await until(() => letterOf(pid) === 'Z');
    expect(processState(pid)).toBeUndefined();
    expect(isRunning(pid)).toBe(false);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});
