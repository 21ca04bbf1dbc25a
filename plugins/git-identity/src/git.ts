import {days, hours, type Launch, lookup, type ReadTools} from 'bootcut/plugin';
import {type Author, authorAt, isParticular} from './author.js';
import {type GitIdentities, parseGitIdentities} from './git-identities.js';
import {gitKey} from './git-key.js';
import {listSettings} from './git-settings.js';
import {type Identity, malformed} from './identity.js';
import {includedFiles} from './included-files.js';
import {placesOf} from './places.js';

/** What git itself would write as the author: here, and outside every repository. */
export const git = lookup({
  name: 'git',
  neededBy: 'run',
  freshFor: hours(24),
  keepFor: days(7),
  private: true,
  key: gitKey,
  read: (launch, tools) => readGitIdentities(launch, tools),
  parse: parseGitIdentities,
});

const noAuthor: Promise<Author> = Promise.resolve('none');

/**
 * Lists the settings first, reports the files they come from, and only then asks git for the authors: an edit in
 * between is then seen as a change and not lost.
 */
const readGitIdentities = async (launch: Launch, tools: ReadTools): Promise<GitIdentities> => {
  const {signal} = tools;
  const {here, outside} = placesOf(launch);
  const [settings, general] = await tools.span('git config', () =>
    Promise.all([listSettings(launch, here, tools), listSettings(launch, outside, tools)]),
  );
  for (const file of includedFiles(launch, [...settings, ...general])) tools.dependsOn(file);
  const [directory, global] = await tools.span('git var', () =>
    Promise.all([
      isParticular(launch, settings, general) ? authorAt(launch, {place: here, settings, signal}) : noAuthor,
      authorAt(launch, {place: outside, settings: general, signal}),
    ]),
  );
  if (directory === 'unusable') throw malformed('the identity set for this directory has control or broken characters');
  return {directory: identityOrNull(directory), global: identityOrNull(global)};
};

const identityOrNull = (author: Author): Identity | null => (typeof author === 'string' ? null : author);
