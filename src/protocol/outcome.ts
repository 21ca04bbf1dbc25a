import type {Outcome} from '../model/record.js';
import type {EndedProgress} from './progress-codec.js';

/** A reported end as it goes on record. */
export const outcomeOf = ({ending, code}: Pick<EndedProgress, 'ending' | 'code'>): Outcome => {
  switch (ending) {
    case 'exited':
      return {kind: 'exited', code};
    case 'killed':
      return {kind: 'killed', signal: code};
    case 'not-started':
      return {kind: 'not-started', code, detail: code === 127 ? 'command not found' : 'it cannot be executed'};
  }
};
