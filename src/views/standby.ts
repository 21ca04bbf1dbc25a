import type {StandbyState} from '../protocol/asks.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {count} from './failure.js';
import {table} from './table.js';

/** `standby list` as text. */
export const standbyList = (standbys: readonly StandbyState[]): string => {
  if (standbys.length === 0) return 'No VM is kept booted.';
  return table(
    [
      {head: 'place', align: 'left'},
      {head: 'state', align: 'left'},
      {head: 'form', align: 'left'},
      {head: 'age', align: 'right'},
      {head: 'boot', align: 'right'},
      {head: 'memory', align: 'right'},
      {head: 'used', align: 'right'},
    ],
    standbys.map((standby) => [
      visible(standby.place),
      standby.state,
      standby.form ?? '–',
      duration(standby.ageMs),
      standby.bootMs === null ? '–' : duration(standby.bootMs),
      standby.memoryKb === null ? '–' : `${Math.round(standby.memoryKb / 1024)} MiB`,
      `${standby.used} of ${standby.ready}`,
    ]),
  );
};

/** `standby start` as text. */
export const standbyStarted = (place: string): string => `A VM is ready for the next launch in ${visible(place)}.`;

/** `standby drop` as text. */
export const standbysDropped = (dropped: number): string =>
  dropped === 0 ? 'No VM was kept booted.' : `Ended ${count(dropped, 'standby')}.`;
