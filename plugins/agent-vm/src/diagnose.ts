import {type Finding, type Launch, type ReadTools, run} from 'bootcut/plugin';
import {type Binary, findBinary} from './find-binary.js';
import {imageOf, pulledDigest} from './pulled-marker.js';
import {knownRelease} from './release.js';
import {stateRoot} from './state-root.js';

/** What keeps agent-vm's verbs from working, or us from helping: the file, its release, its state and its image. */
export const diagnose = async (launch: Launch, {signal}: Pick<ReadTools, 'signal'>): Promise<readonly Finding[]> => {
  const binary = findBinary(launch);
  const found = await binaryFindings(launch, binary, signal);
  return [...found, stateFinding(launch), ...(binary.kind === 'missing' ? [] : [imageFinding(launch)])];
};

const binaryFindings = async (launch: Launch, binary: Binary, signal: AbortSignal): Promise<readonly Finding[]> => {
  if (binary.kind === 'missing') {
    // Whoever only runs programs does not need it; a setting that leads nowhere is another matter.
    const isSet = typeof launch.settings['path'] === 'string' && launch.settings['path'] !== '';
    return [{name: 'file', state: isSet ? 'fault' : 'warning', text: binary.text.replace(/^bootcut: /, '')}];
  }
  const file: Finding = binary.decidesVersion
    ? {name: 'file', state: 'ok', text: binary.path}
    : {
        name: 'file',
        state: 'warning',
        text: `${binary.path} is a script or a version manager's stand-in: which release it starts cannot be told, so launches are not helped`,
        advice: 'Set plugins.agent-vm.path to the native file.',
      };
  return [file, await versionFinding(launch, binary.path, signal)];
};

const versionFinding = async (launch: Launch, path: string, signal: AbortSignal): Promise<Finding> => {
  const {code, stdout} = await run(launch, [path, '--version'], {signal});
  const version = /^agent-vm (\S+)\s*$/.exec(stdout)?.[1];
  if (code !== 0 || version === undefined)
    return {name: 'version', state: 'fault', text: `${path} --version does not give agent-vm's version`};
  if (knownRelease(version) === undefined) {
    const text = `${version} is none of the releases that bootcut knows how to help (0.1.14 and later): it is started as it is`;
    return {name: 'version', state: 'warning', text};
  }
  return {name: 'version', state: 'ok', text: version};
};

const stateFinding = (launch: Launch): Finding => {
  const {path, rule, warning} = stateRoot(launch);
  if (path === undefined) {
    const text = 'none of AGENT_VM_STATE_DIR, XDG_STATE_HOME and HOME is set: agent-vm has no place for its state';
    return {name: 'state', state: 'fault', text, advice: 'Set HOME.'};
  }
  if (warning !== undefined) return {name: 'state', state: 'warning', text: warning};
  return {
    name: 'state',
    state: 'ok',
    text: `${path}, by ${rule}${rule === 'AGENT_VM_STATE_DIR' ? ' as it stands' : ''}`,
  };
};

/** The marker tells which digest was pulled; without it nothing can be said to be newer. */
const imageFinding = (launch: Launch): Finding => {
  const image = imageOf(launch, {given: new Map(), trailing: 0, help: false});
  const digest = pulledDigest(launch, image);
  if (digest !== undefined) return {name: 'image', state: 'ok', text: `${image}, pulled as ${digest}`};
  return {
    name: 'image',
    state: 'ok',
    text: `${image}; agent-vm has noted no pull of it yet, so whether there is a newer one cannot be said`,
  };
};
