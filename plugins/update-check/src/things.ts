import type {Launch, Updatable} from 'bootcut/plugin';
import {parseReference} from './reference.js';

/** A thing to look after: what there is of it is one answer, whatever the user has. */
export type Thing = Omit<Updatable, 'source'>;

/** The things of one source, each name once: those the runtime names, then those of the `things` setting. */
export const thingsOf = (launch: Launch, source: Updatable['source']): readonly Thing[] => {
  const things = new Map<string, Thing>();
  for (const {name, have, advice} of [...launch.updatables, ...settingsOf(launch)].filter(
    (one) => one.source === source,
  )) {
    const known = things.get(name);
    const words = known?.advice ?? advice;
    things.set(name, {name, have: [...(known?.have ?? []), ...have], ...(words === undefined ? {} : {advice: words})});
  }
  return [...things.values()];
};

/** The thing that `launch.item` names. */
export const thingOf = (launch: Launch, source: Updatable['source']): Thing | undefined =>
  thingsOf(launch, source).find(({name}) => name === launch.item);

const settingsOf = ({settings}: Launch): readonly Updatable[] => {
  const {things} = settings;
  if (!Array.isArray(things)) return [];
  return things.map((text: unknown) => (typeof text === 'string' ? parseThing(text) : undefined)).filter(isThere);
};

const isThere = <T>(value: T | undefined): value is T => value !== undefined;

/** `oci:REFERENCE`, `github:OWNER/REPO[@TAG]` or `npm:NAME[@VERSION]`; undefined for anything else. */
export const parseThing = (text: string): Updatable | undefined => {
  const [, source, rest = ''] = /^(oci|github|npm):(.+)$/s.exec(text.trim()) ?? [];
  if (source === 'oci') return parseReference(rest) === undefined ? undefined : {source, name: rest, have: []};
  if (source !== 'github' && source !== 'npm') return undefined;
  // From the second character on: the first `@` of `@scope/name` begins no version.
  const at = rest.indexOf('@', 1);
  const name = at === -1 ? rest : rest.slice(0, at);
  if (!isNameOf[source](name)) return undefined;
  return {source, name, have: at === -1 ? [] : [rest.slice(at + 1)].filter((version) => version !== '')};
};

/** `owner/repo` by GitHub's rules: letters, digits, `-`, `_`, `.`, and neither part a directory. */
export const isRepository = (name: string): boolean =>
  /^[a-z\d][a-z\d-]{0,38}\/[\w.-]{1,100}$/i.test(name) && !/\/\.{1,2}$/.test(name);

/** A package name as npm has taken them since 2015; one that begins with `-` would be an option. */
export const isPackage = (name: string): boolean =>
  name.length <= 214 && /^(?:@[a-z\d~][a-z\d._~-]*\/)?[a-z\d~][a-z\d._~-]*$/.test(name);

const isNameOf = {github: isRepository, npm: isPackage};
