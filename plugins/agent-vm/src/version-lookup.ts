import {days, fileIdentity, type Launch, type LookupStep, lookup, NoAnswer, run} from 'bootcut/plugin';
import {launchCommand} from './command.js';
import {findBinary} from './find-binary.js';
import {semver} from './release.js';

/** The file whose version matters for this launch. */
const asked = (launch: Launch): string | undefined => {
  const binary = findBinary(launch);
  return binary.kind === 'found' && binary.decidesVersion ? binary.path : undefined;
};

/** Which release the native file is, by `agent-vm --version`; it stays true for as long as the file does. */
export const versionLookup: LookupStep<string> = lookup<string>({
  name: 'version',
  neededBy: 'boot',
  freshFor: days(30),
  keepFor: days(365),
  private: true,
  when: (launch) => launchCommand(launch) !== undefined && asked(launch) !== undefined,
  key: (launch) => {
    const path = asked(launch);
    return path === undefined ? [null] : [path, fileIdentity(path)];
  },
  read: async (launch, {signal}) => {
    const path = asked(launch);
    if (path === undefined) throw new NoAnswer('not-installed', 'agent-vm is not on the PATH of this launch');
    const {code, stdout} = await run(launch, [path, '--version'], {signal});
    const version = /^agent-vm (\S+)\s*$/.exec(stdout)?.[1];
    if (code !== 0 || version === undefined) throw new NoAnswer('malformed', 'agent-vm --version gave no version');
    return version;
  },
  parse: (stored) => {
    if (typeof stored !== 'string' || !semver.test(stored))
      throw new NoAnswer('malformed', 'not a version of agent-vm');
    return stored;
  },
});
