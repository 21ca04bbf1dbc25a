// @ts-check
import {days, definePlugin, fileIdentity, findExecutable, lookup, NoAnswer, run} from 'bootcut/plugin';

/**
 * Which npm a launch has. Asking takes npm a good part of a second; the answer holds for as long as npm's file is the same,
 * so later launches have it from the cache, and the target finds it in NPM_VERSION.
 */
export default definePlugin({
  name: '{{name}}',
  steps: [
    lookup({
      name: 'npm-version',
      neededBy: 'run',
      freshFor: days(1),
      keepFor: days(7),
      when: (launch) => findExecutable(launch, 'npm') !== undefined,
      // Everything the answer depends on. Quick: it runs at every launch.
      key: (launch) => {
        const npm = findExecutable(launch, 'npm') ?? '';
        return [npm, fileIdentity(npm)];
      },
      // Slow: it runs only when nothing usable is stored. An error is never stored.
      read: async (launch, {signal}) => (await run(launch, ['npm', '--version'], {signal})).stdout.trim(),
      // Checks what was read, and again what was stored.
      parse: (stored) => {
        if (typeof stored === 'string' && /^\d+\.\d+\.\d+/.test(stored)) return stored;
        throw new NoAnswer('malformed', 'npm --version gave no version');
      },
      apply: (version) => [{kind: 'set-env', name: 'NPM_VERSION', value: version}],
    }),
  ],
});
