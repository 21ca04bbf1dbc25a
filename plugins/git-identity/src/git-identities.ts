import {type Identity, isRecord, malformed, parseIdentity} from './identity.js';

/** What git itself would use in a directory, and why. */
export type GitIdentities = {
  /** The identity here, when something set it for this directory or launch in particular; else null. */
  readonly directory: Identity | null;
  /** The identity outside every repository; null when none is configured. */
  readonly global: Identity | null;
};

/** Checks git's identities, as read or as stored. */
export const parseGitIdentities = (stored: unknown): GitIdentities => {
  if (!isRecord(stored) || stored['directory'] === undefined || stored['global'] === undefined)
    throw malformed("git's identities are incomplete");
  return {directory: parseIdentity(stored['directory']), global: parseIdentity(stored['global'])};
};
