import {type Launch, type LaunchId, type LaunchOptions, ms} from 'bootcut/plugin';

type Changes = Partial<Omit<Launch, 'options' | 'id'>> & {readonly id?: string; readonly without?: readonly string[]};

/** A launch as the engine hands it to plugins; `argv` decides the verb unless one is given. */
export const makeLaunch = ({id = 'launch-1', without = [], ...changes}: Changes = {}): Launch => {
  const argv = changes.argv ?? ['shell', 'true'];
  const options: LaunchOptions = {
    budget: ms(4000),
    noCache: false,
    noDaemon: false,
    with: [],
    without,
    verbose: false,
  };
  return {
    id: id as LaunchId,
    verb: argv[0] ?? 'agent-vm',
    runtime: 'agent-vm',
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    settings: {},
    updatables: [],
    ...changes,
    argv,
    options,
  };
};
