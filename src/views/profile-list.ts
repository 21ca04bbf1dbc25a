import type {LaunchProfile} from '../profile/launch-profile.js';
import {duration} from './duration.js';
import {localTime, outcomeWords, targetWords, viaWords} from './profile-words.js';
import {table} from './table.js';

/** `profile --last N` as text: one row for each launch, in the order given. */
export const profileList = (profiles: readonly LaunchProfile[]): string =>
  [
    table(
      [
        {head: 'launch', align: 'left'},
        {head: 'time', align: 'left'},
        {head: 'what', align: 'left'},
        {head: 'cache', align: 'left'},
        {head: 'via', align: 'left'},
        {head: 'total', align: 'right'},
        {head: 'pre-boot', align: 'right'},
        {head: 'waited', align: 'right'},
        {head: 'outcome', align: 'left'},
      ],
      profiles.map((profile) => [
        profile.id.slice(-shortId),
        localTime(profile.at),
        targetWords(profile),
        profile.temperature,
        viaWords(profile),
        duration(profile.totalMs),
        duration(profile.preBootMs),
        duration(profile.waitedMs),
        outcomeWords(profile.outcome),
      ]),
    ),
    'total: from the exec of our command to its end; pre-boot: until boot begins; waited: held for answers.',
  ].join('\n\n');

/** As many characters of an id as tell the launches of one machine apart. */
const shortId = 6;
