import type {BootFormRow} from '../profile/boot-form.js';
import type {StandbyState} from '../protocol/asks.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {count} from './failure.js';
import {table} from './table.js';

/** `standby list` as text. */
export const standbyReport = (standbys: readonly StandbyState[], forms: readonly BootFormRow[]): string =>
  standbyList(standbys) + formsText(forms);

/** The VMs alone. */
export const standbyList = (standbys: readonly StandbyState[]): string => {
  if (standbys.length === 0) return 'No VM is kept booted.';
  const rows = table(
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
  const isSaved = standbys.some(({form}) => form === 'saved');
  return isSaved ? `${rows}\n\nsaved: the setting standby.memory has no room for one that waits; ${restored}` : rows;
};

const restored = 'the next launch is restored from disk.';

/** `standby start` as text. */
export const standbyStarted = ({place, form}: {readonly place: string; readonly form: 'paused' | 'saved'}): string =>
  form === 'paused'
    ? `A VM is ready for the next launch in ${visible(place)}.`
    : `A VM is saved for the next launch in ${visible(place)}: the setting standby.memory has no room for one that waits.`;

/** What launches have cost that came by their VM in different ways; empty without one. */
const formsText = (forms: readonly BootFormRow[]): string =>
  forms.length === 0
    ? ''
    : `\n\nBoots of the newest launches:\n\n${table(
        [
          {head: 'VM', align: 'left'},
          {head: 'runtime', align: 'left'},
          {head: 'launches', align: 'right'},
          {head: 'boot', align: 'right'},
        ],
        forms.map(({form, runtime, launches, bootMs}) => [
          formWords[form],
          visible(runtime),
          String(launches),
          duration(bootMs),
        ]),
      )}`;

const formWords: Readonly<Record<BootFormRow['form'], string>> = {
  paused: 'waited paused',
  restored: 'restored from a saved one',
  cold: 'booted cold',
  joined: 'of another launch',
};

/** `standby drop` as text. */
export const standbysDropped = (dropped: number): string =>
  dropped === 0 ? 'No VM was kept booted.' : `Ended ${count(dropped, 'standby')}.`;
