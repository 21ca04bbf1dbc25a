import {userInfo} from 'node:os';
import {join} from 'node:path';
import {findExecutable, type Launch, NoAnswer, type ReadTools, run} from 'bootcut/plugin';

/**
 * The real host behind a host of an SSH address, by the user's SSH configuration, or undefined for a name that is
 * none: an alias that nothing explains. The files that decide are reported.
 */
export const sshHost = async (
  launch: Launch,
  host: string,
  {signal, dependsOn}: Pick<ReadTools, 'signal' | 'dependsOn'>,
): Promise<string | undefined> => {
  // ssh looks for its files in the home of the password database, whatever HOME says.
  for (const file of [join(userInfo().homedir, '.ssh', 'config'), '/etc/ssh/ssh_config']) dependsOn(file);
  const settings = await askSsh(launch, host, signal);
  for (const [, file] of settings.stderr.matchAll(/^debug1: Reading configuration data (.+?)\r?$/gm))
    if (file !== undefined) dependsOn(file);
  const named = /^hostname (\S+)\r?$/m.exec(settings.stdout)?.[1]?.toLowerCase() ?? host;
  const real = named === 'ssh.github.com' ? 'github.com' : named;
  return isRealName(real) ? real : undefined;
};

/** `-G` prints what would be used and connects to nothing; `-v` names the files that were read. */
const askSsh = async (launch: Launch, host: string, signal: AbortSignal) => {
  if (findExecutable(launch, 'ssh') === undefined || host.startsWith('-')) return {stdout: '', stderr: ''};
  const result = await run(launch, ['ssh', '-v', '-G', host], {signal, cwd: '/'});
  if (result.code === null) throw new NoAnswer('ended', 'ssh was ended by a signal');
  return result;
};

/** A name with a dot, or an address in brackets: a bare word that stays one is an alias. */
const isRealName = (host: string): boolean => /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+|\[[0-9a-f:.]+\])$/.test(host);
