import {accessSync, constants, existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import type {DoctorFinding} from '../model/inspection.js';

/** What the finding depends on: where we are installed, the caller's environment, and whether this system has /proc. */
export interface LauncherSituation {
  readonly installation: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hasDescriptorList: boolean;
}

export const launcherSituation = (installation: string, env: LauncherSituation['env']): LauncherSituation => ({
  installation,
  env,
  hasDescriptorList: existsSync('/proc/self/fd'),
});

/** Are launches started by the native launcher, and what do they miss where they are not? The places are bin/bootcut's. */
export const launcherFinding = ({installation, env, hasDescriptorList}: LauncherSituation): DoctorFinding => {
  const about = {area: 'bootcut', name: 'launcher'};
  // The figure is bench/RESULTS.md's, over /bin/true with Node 20.
  const cost = `launches run in Node and cost about 60 ms more each${
    hasDescriptorList
      ? ''
      : '; here their targets also lose open descriptors from 3 up, and signals ignored at the start'
  }`;
  if (env['BOOTCUT_FRONT']?.startsWith('node') === true) {
    const text = `BOOTCUT_FRONT=node is set: ${cost}`;
    return {...about, state: 'warning', text, advice: "'unset BOOTCUT_FRONT' brings the native launcher back."};
  }
  const path = findLauncher(installation);
  if (path !== undefined) return {...about, state: 'ok', text: path};
  return {
    ...about,
    state: 'warning',
    text: `there is none for ${process.platform}-${process.arch}: ${cost}`,
    advice: `Install bootcut-launcher-${process.platform}-${process.arch} beside bootcut, or in a checkout run 'npm run build' where a C compiler is.`,
  };
};

const findLauncher = (installation: string): string | undefined =>
  [
    join(installation, 'launcher', 'bootcut-launch'),
    ...packaged(join(installation, '..')),
    ...packaged(join(installation, 'node_modules')),
  ].find(isExecutable);

const packaged = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.startsWith('bootcut-launcher-'))
      .map((name) => join(directory, name, 'bin', 'bootcut-launch'));
  } catch {
    return [];
  }
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
