import {basename} from 'node:path';
import {defineOptimization, type Json} from 'bootcut/plugin';
import {checkTls} from './check-tls.js';
import {type HeldConnection, hold} from './held-connections.js';
import type {FarHost} from './hosts.js';
import {type PreconnectSettings, preconnectSettings} from './settings.js';

/** Connections to hosts that the user or a plugin has named, made while a program starts that will want them. */
export const connections = defineOptimization({
  name: 'connections',
  summary: 'connects to the hosts of plugins.preconnect.hosts, and those that plugins name, beside the start',

  plan: (launch) => {
    const {hosts, proxy} = preconnectSettings(launch);
    if (hosts.length === 0) return undefined;
    const names = hosts.map(({name}) => name);
    const program = basename(launch.argv[0] ?? '');
    return {subject: [program, proxy, ...names], label: `${program}: ${names.join(', ')}`, use: []};
  },

  ahead: true,
  warmUp: async (launch, {signal}) => {
    const settings = preconnectSettings(launch);
    const reports = await Promise.all(settings.hosts.map(async (far) => [far.name, await warm(far, settings, signal)]));
    return Object.fromEntries(reports) as Readonly<Record<string, Json>>;
  },
});

/** Resolves when every connection to this host is used, closed or too old; then it is known what they were good for. */
const warm = async (
  far: FarHost,
  {connections: count, holdFor}: PreconnectSettings,
  signal: AbortSignal,
): Promise<Json> => {
  const held = Array.from({length: count}, () => hold(far, holdFor));
  const tls = checkTls(far, signal);
  signal.addEventListener('abort', () => dropAll(held), {once: true});
  if (signal.aborted) dropAll(held);
  const times = await Promise.all(held.map(async ({connected}) => await connected));
  const ends = await Promise.all(held.map(async ({ended}) => await ended));
  const made = times.filter((time) => time !== undefined);
  return {
    connected: made.length,
    used: ends.filter((end) => end === 'used').length,
    ...(made.length === 0 ? {} : {connectMs: Math.round(Math.min(...made) * 1000) / 1000}),
    tls: await tls,
  };
};

const dropAll = (held: readonly HeldConnection[]): void => {
  for (const {drop} of held) drop();
};
