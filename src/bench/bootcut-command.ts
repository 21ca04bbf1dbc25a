import {join} from 'node:path';
import {installationRoot} from '../system/installation.js';
import type {ThroughBootcut} from './bench-plan.js';

/** The installed command. */
export const bootcutCommand = join(installationRoot, 'bin', 'bootcut');

/** Our own flags of a variant's launches. */
export const runtimeFlags = (through: ThroughBootcut): readonly string[] => [
  ...(through.runtime === undefined ? [] : ['--runtime', through.runtime]),
  ...through.with.flatMap((name) => ['--with', name]),
  ...through.without.flatMap((name) => ['--without', name]),
];
