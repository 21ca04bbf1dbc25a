import {matchesLine} from './line-feed.js';
import {told} from './poll.js';
import {type Met, never, type Watch} from './watch.js';

/** A line of the target's output, on one stream or either; the pipe tells us. */
export const watchLog = (stream: 'stdout' | 'stderr' | 'either', pattern: RegExp): Watch => {
  let closest = '';
  return {
    until: async ({stdout, stderr}, signal) => {
      const feeds = [
        ...(stream === 'stderr' || stdout === undefined ? [] : [{name: 'stdout', feed: stdout}]),
        ...(stream === 'stdout' || stderr === undefined ? [] : [{name: 'stderr', feed: stderr}]),
      ];
      if (feeds.length === 0) {
        closest = `${stream === 'either' ? 'its output' : stream} is not ours to read along: it is a terminal, or stdout and stderr lead to one place`;
        return await never();
      }
      return await new Promise<Met>((resolve) => {
        const stops = feeds.map(({name, feed}) =>
          feed.on((line, isWhole, at) => {
            closest = `${name} said last: ${line.slice(-200)}`;
            if (!matchesLine(pattern, line, isWhole)) return;
            stop();
            resolve({at, slack: told(), detail: `${name}: ${line.slice(0, 200)}`});
          }),
        );
        const stop = (): void => {
          for (const one of stops) one();
        };
        signal.addEventListener('abort', stop, {once: true});
      });
    },
    seen: () => (closest === '' ? 'it said nothing' : closest),
  };
};
