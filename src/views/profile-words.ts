import type {Outcome} from '../model/record.js';
import type {Endpoint, LaunchProfile} from '../profile/launch-profile.js';
import {visible} from '../system/visible.js';

/** `run true`, `shell`. */
export const targetWords = ({verb, target}: Pick<LaunchProfile, 'verb' | 'target'>): string =>
  visible(target === '' || target === verb ? verb : `${verb} ${target}`);

/** `daemon`, `in-process (daemon-absent)`. */
export const viaWords = ({via, viaReason}: Pick<LaunchProfile, 'via' | 'viaReason'>): string =>
  viaReason === undefined ? via : `${via} (${visible(viaReason)})`;

/** `warm, to the end of the command`: what every total is said with. */
export const endpointWords = ({temperature, endpoint}: Pick<LaunchProfile, 'temperature' | 'endpoint'>): string =>
  `${temperature}, to ${endpoints[endpoint]}`;

const endpoints: Readonly<Record<Endpoint, string>> = {
  'end-of-command': 'the end of the command',
  'failed-start': 'the failed start',
  'last-sign': 'the last sign of it',
};

/** `exited 0`, `killed by signal 9`, `not started (127)`, `lost`. */
export const outcomeWords = (outcome: Outcome): string => {
  switch (outcome.kind) {
    case 'exited':
      return `exited ${outcome.code}`;
    case 'killed':
      return `killed by signal ${outcome.signal}`;
    case 'not-started':
      return `not started (${outcome.code}${outcome.detail === '' ? '' : `: ${visible(outcome.detail)}`})`;
    case 'lost':
      return 'lost';
  }
};

/** An ISO time as date and time where the reader is: `2026-11-30 16:40:09`. */
export const localTime = (iso: string): string => {
  const date = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(
    date.getMinutes(),
  )}:${two(date.getSeconds())}`;
};
