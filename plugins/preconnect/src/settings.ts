import type {Json, Launch} from 'bootcut/plugin';
import {type FarHost, parseHost} from './hosts.js';

/** What is to be connected ahead. */
export interface PreconnectSettings {
  readonly hosts: readonly FarHost[];
  /** Connections held to each host. */
  readonly connections: number;
  /** How long one that nobody uses is held, in milliseconds: many servers close it after half a minute. */
  readonly holdFor: number;
  /** Offer targets a proxy that hands the connections on. */
  readonly proxy: boolean;
}

/** More would be an attack rather than a warm-up. */
const mostHosts = 8;
const mostConnections = 4;

export const preconnectSettings = ({settings, hosts = []}: Pick<Launch, 'settings' | 'hosts'>): PreconnectSettings => ({
  hosts: allHosts([...texts(settings['hosts']), ...hosts]).slice(0, mostHosts),
  connections: within(settings['connections'], 1, mostConnections, 2),
  holdFor: within(settings['seconds'], 1, 60, 20) * 1000,
  proxy: settings['proxy'] === true || settings['proxy'] === 'true',
});

/** Each once: what the user names comes first, then what plugins name for this program. */
const allHosts = (names: readonly string[]): readonly FarHost[] => [
  ...new Map(names.flatMap(parseHost).map((far) => [far.name, far])).values(),
];

/** A list, or one text with commas, as `config set` writes it. */
const texts = (value: Json | undefined): readonly string[] => {
  if (typeof value === 'string') return value.split(',').map((text) => text.trim());
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

const within = (value: Json | undefined, least: number, most: number, usual: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(Math.floor(value), least), most) : usual;
