import {mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {LaunchRig} from './launch-rig.js';
import {linkPlugin} from './linked-plugin.js';

/** A linked plugin with one step that waits for its first use. */
export interface FirstUsePlugin {
  /** How often the step has been run. */
  readonly runs: () => Promise<number>;
}

/**
 * Links one. `trigger` and `gives` are JavaScript: the trigger, and the body of an async function of (launch, tools) behind
 * the line that counts the run.
 */
export const linkFirstUse = async (
  rig: LaunchRig,
  trigger: string,
  gives = '',
  {name = 'later', more = ''}: {readonly name?: string; readonly more?: string} = {},
): Promise<FirstUsePlugin> => {
  const calls = join(rig.root, `${name}-runs`);
  await linkPlugin(
    rig,
    name,
    `
import {appendFileSync} from 'node:fs';
import {action, definePlugin, ms} from 'bootcut/plugin';
export default definePlugin({
  name: '${name}',
  steps: [
    action({
      name: 'work',
      neededBy: 'first-use',
      trigger: ${trigger},
      ${more}
      act: async (launch, tools) => {
        appendFileSync(${JSON.stringify(calls)}, 'run\\n');
        ${gives}
      },
    }),
  ],
});
`,
  );
  return {
    runs: async () => (await readFile(calls, 'utf8').catch(() => '')).split('\n').length - 1,
  };
};

/** A command of the rig's own in a directory that is on PATH; returns the directory. */
export const commandDirectory = async (rig: LaunchRig, name: string, script: string): Promise<string> => {
  const directory = join(rig.root, 'commands');
  await mkdir(directory, {recursive: true});
  await rig.script(name, script, directory);
  return directory;
};
