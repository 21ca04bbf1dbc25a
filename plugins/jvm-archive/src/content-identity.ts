import {absentIdentity, fileIdentity} from 'bootcut/plugin';

/**
 * What a file is, without the number of its device: that one may be another after each start of the machine, and every
 * archive would be made again.
 */
export const contentIdentity = (path: string): string => {
  const identity = fileIdentity(path);
  const fields = identity.split(':');
  return fields.length === 5 ? fields.slice(1).join(':') : identity;
};

export const isAbsent = (identity: string): boolean => identity === absentIdentity;
