import {type ChildProcess, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {run} from './program.js';

/** The cookie of the displays that want one. */
const cookie = '0123456789abcdef0123456789abcdef';

/** A real X server without a screen of glass, on a display number that was free; it ends with the rig. */
export class XDisplayRig implements AsyncDisposable {
  /** `:N` */
  readonly display: string;
  /** A directory of its own. */
  readonly root: string;
  readonly #server: ChildProcess;

  private constructor(display: string, root: string, server: ChildProcess) {
    [this.display, this.root, this.#server] = [display, root, server];
  }

  /** `withCookie`: it lets in only who shows a cookie; `authority` holds it. */
  static async create(options: {readonly withCookie?: boolean} = {}): Promise<XDisplayRig> {
    const root = mkdtempSync(join(tmpdir(), 'bootcut-x-'));
    const auth = options.withCookie === true ? ['-auth', join(root, 'server-authority')] : [];
    if (auth.length > 0) await writeAuthority(join(root, 'server-authority'), ':0');
    const server = spawn(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', '320x240x24', '-noreset', '-nolisten', 'tcp', ...auth],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe']},
    );
    const number = await firstLine(server.stdio[3] as Readable, server);
    const rig = new XDisplayRig(`:${number}`, root, server);
    if (auth.length > 0) await writeAuthority(rig.authority, rig.display);
    return rig;
  }

  /** An authority file as a login would have written it, with the cookie of this display. */
  get authority(): string {
    return join(this.root, 'authority');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#server.once('exit', resolve));
    this.#server.kill('SIGTERM');
    await ended;
    rmSync(this.root, {recursive: true, force: true});
  }
}

const writeAuthority = async (file: string, display: string): Promise<void> => {
  const {status, stderr} = await run(['xauth', '-f', file, 'add', display, 'MIT-MAGIC-COOKIE-1', cookie]);
  if (status !== 0) throw new Error(`xauth: ${stderr}`);
};

const firstLine = (stream: Readable, server: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`Xvfb ended with ${String(code)} before it was ready`)));
  });
