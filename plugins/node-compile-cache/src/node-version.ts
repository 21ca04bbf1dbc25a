import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileIdentity, hashed, type Launch, NoAnswer, run, seconds} from 'bootcut/plugin';

/** Major and minor version of a node. */
export type NodeVersion = readonly [major: number, minor: number];

const remembered = new Map<string, NodeVersion>();

/** The version of this node: from the headers that lie beside it, or as it said when it was asked; undefined if neither. */
export const nodeVersion = (node: string, directory: string): NodeVersion | undefined => {
  const identity = `${node}\n${fileIdentity(node)}`;
  const old = remembered.get(identity);
  if (old !== undefined) return old;
  const version = fromHeaders(node) ?? parseVersion(readText(answerPath(directory, identity)) ?? '');
  if (version !== undefined) remembered.set(identity, version);
  return version;
};

/** `NODE_COMPILE_CACHE` is known from 22.1 on; an older node does not look at it. */
export const hasCompileCache = ([major, minor]: NodeVersion): boolean => major > 22 || (major === 22 && minor >= 1);

/** Asks a node which version it is, and keeps that for as long as its file stays what it is. */
export const askVersion = async (
  launch: Launch,
  node: string,
  {directory, signal}: {readonly directory: string; readonly signal: AbortSignal},
): Promise<NodeVersion> => {
  const {stdout} = await run(launch, [node, '-p', 'process.versions.node'], {
    signal,
    limit: seconds(10),
    cwd: '/',
    env: {NODE_OPTIONS: undefined},
  });
  const version = parseVersion(stdout);
  if (version === undefined) throw new NoAnswer('malformed', `${node} does not say which version it is`);
  writeFileSync(answerPath(directory, `${node}\n${fileIdentity(node)}`), version.join('.'), {mode: 0o600});
  return version;
};

const answerPath = (directory: string, identity: string): string =>
  join(directory, `${hashed(identity) ?? ''}.version`);

const parseVersion = (text: string): NodeVersion | undefined => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
};

/** As the archives of nodejs.org, nvm and most packages lay it: `bin/node` and `include/node/node_version.h`. */
const fromHeaders = (node: string): NodeVersion | undefined => {
  const text = readText(join(dirname(node), '..', 'include', 'node', 'node_version.h'));
  const number = (name: string): number | undefined => {
    const [, digits] = new RegExp(`^#define NODE_${name}_VERSION (\\d+)`, 'm').exec(text ?? '') ?? [];
    return digits === undefined ? undefined : Number(digits);
  };
  const [major, minor] = [number('MAJOR'), number('MINOR')];
  return major === undefined || minor === undefined ? undefined : [major, minor];
};

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
