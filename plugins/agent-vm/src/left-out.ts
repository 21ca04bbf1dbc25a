import type {Launch} from 'bootcut/plugin';

/** What this runtime does for a launch beyond starting it; each can be left out by `--without`. */
export type Lever = 'no-update-check' | 'identity-file' | 'gh-shim';

/** Did the user leave this one out, by its own name or with the step that stands in for it? */
export const isLeftOut = (launch: Pick<Launch, 'options'>, lever: Lever): boolean =>
  launch.options.without.some((name) => {
    if (name === lever || name === `agent-vm/${lever}`) return true;
    return lever === 'no-update-check' && (name === 'update-check' || name.startsWith('update-check/'));
  });
