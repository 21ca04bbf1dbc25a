import {existsSync} from 'node:fs';
import {days, hours, type Launch, lookup, type ReadTools} from 'bootcut/plugin';
import {type Author, authorAt, isParticular} from './author.js';
import {type GitIdentities, parseGitIdentities} from './git-identities.js';
import {gitKey} from './git-key.js';
import {listSettings, type Place} from './git-settings.js';
import {type Identity, malformed} from './identity.js';
import {includedFiles} from './included-files.js';

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

/** No repository: git takes this for a given one, finds that it is none, and looks for no other. */
const nowhere = {GIT_DIR: '/dev/null', GIT_WORK_TREE: undefined, GIT_COMMON_DIR: undefined};

const noAuthor: Promise<Author> = Promise.resolve('none');

/** Taken away to see what holds without the wishes of this one launch. */
const wishless = {
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_PARAMETERS: undefined,
  GIT_AUTHOR_NAME: undefined,
  GIT_AUTHOR_EMAIL: undefined,
};

/**
 * Lists the settings first, reports the files they come from, and only then asks git for the authors: an edit in
 * between is then seen as a change and not lost.
 */
const readGitIdentities = async (launch: Launch, tools: ReadTools): Promise<GitIdentities> => {
  const {signal} = tools;
  const [here, outside] = places(launch);
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

/** A deleted directory has no repository; the rest can be asked from the root. */
const places = (launch: Launch): readonly [Place, Place] =>
  existsSync(launch.cwd)
    ? [
        {cwd: launch.cwd, env: {}},
        {cwd: launch.cwd, env: {...nowhere, ...wishless}},
      ]
    : [
        {cwd: '/', env: nowhere},
        {cwd: '/', env: {...nowhere, ...wishless}},
      ];
