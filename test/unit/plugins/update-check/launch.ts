import type {Launch, ReadTools} from 'bootcut/plugin';

/** A launch as a plugin sees it, of a user without home and settings unless a test says so. */
export const launchWith = (parts: Partial<Launch> = {}): Launch => ({
  id: 'launch-1' as Launch['id'],
  verb: 'run',
  runtime: 'process',
  argv: ['true'],
  env: {},
  cwd: '/',
  stdio: ['closed', 'closed', 'closed'],
  options: {
    budget: 4000 as Launch['options']['budget'],
    noCache: false,
    noDaemon: false,
    with: [],
    without: [],
    verbose: false,
  },
  settings: {},
  updatables: [],
  ...parts,
});

/** What a `read` is given, with a signal that never fires unless a test says so. */
export const toolsWith = (parts: Partial<ReadTools> = {}): ReadTools => ({
  signal: new AbortController().signal,
  span: (_name, work) => work(),
  dependsOn: () => undefined,
  etag: undefined,
  previous: undefined,
  ...parts,
});
