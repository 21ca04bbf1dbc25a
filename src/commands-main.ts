import {readFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {execute} from '@oclif/core/execute';
import {installationRoot} from './system/installation.js';

/** oclif's own plugins, by the first word that needs them: each costs every start 5 to 10 ms. */
const helpers: Readonly<Record<string, readonly string[]>> = {
  plugins: ['@oclif/plugin-plugins'],
  autocomplete: ['@oclif/plugin-autocomplete'],
  help: ['@oclif/plugin-help'],
};

const everything = [...Object.values(helpers).flat(), '@oclif/plugin-not-found'];

/**
 * Runs a command through oclif, with as little of its machinery as the command needs: other people's plugins and oclif's
 * helpers are only loaded for a word that is not one of our own commands.
 */
export const runCommands = async (args: readonly string[], entry: string): Promise<void> => {
  mindOutput();
  standInForAccount();
  const own = isOwnCommand(args);
  await execute({
    args: [...args],
    dir: entry,
    loadOptions: {
      root: installationRoot,
      userPlugins: !own,
      devPlugins: false,
      pluginAdditions: {core: [...(own ? [] : everything)], path: installationRoot},
    },
  });
};

/** Exit status when what a command has to say could not be written. */
const unwritten = 1;

/**
 * Whoever read our output may have gone: that is no error of ours, nothing to tell anybody, and changes nothing about the
 * exit status. Output that cannot be written for another reason, such as a full disk, is told in one line.
 */
const mindOutput = (): void => {
  process.stdout.on('error', ({code, message}: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    process.stderr.write(`bootcut: the output cannot be written: ${message}\n`);
    process.exit(unwritten);
  });
  process.stderr.on('error', () => undefined);
};

/**
 * oclif asks the system for the account when HOME or SHELL is not set, and ends with a stack trace where the user id has
 * no account, as in many containers. Then these stand in for it.
 */
const standInForAccount = (): void => {
  try {
    userInfo();
  } catch {
    process.env['SHELL'] ??= '/bin/sh';
    process.env['HOME'] ??= '/';
  }
};

const isOwnCommand = (args: readonly string[]): boolean => {
  const words = args.filter((arg) => !arg.startsWith('-'));
  if (words.length === 0) return args.includes('--version');
  try {
    const manifest = JSON.parse(readFileSync(join(installationRoot, 'oclif.manifest.json'), 'utf8')) as {
      readonly commands: Readonly<Record<string, unknown>>;
    };
    return [words[0], words.slice(0, 2).join(':')].some(
      (id) => id !== undefined && Object.hasOwn(manifest.commands, id),
    );
  } catch {
    return false; // not built with a manifest: load everything
  }
};
