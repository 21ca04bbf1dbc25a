import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {hasProgram, runChecked, runProgram} from './programs.js';
import type {Say} from './say.js';
import {Trouble} from './trouble.js';

/** Debian's tools, which every system of that family has. */
export const hasApt = (): boolean => ['apt-get', 'apt-cache', 'dpkg-deb'].every(hasProgram);

export const isRoot = (): boolean => process.geteuid?.() === 0;

/** The command that installs packages, for a person to run. */
export const installCommand = (packages: readonly string[]): string =>
  `${isRoot() ? '' : 'sudo '}apt-get install ${packages.join(' ')}`;

/** Installs packages; for root. Says so before, since it changes the system. */
export const installPackages = async (packages: readonly string[], say: Say): Promise<void> => {
  say.line(`Installing ${packages.join(', ')} with apt-get.`);
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  const options = {env: {DEBIAN_FRONTEND: 'noninteractive'}, goesOn: true};
  if ((await runProgram(install, options)).code === 0) return;
  // The lists of a fresh machine or container are empty or old.
  await runChecked(['apt-get', 'update'], options);
  await runChecked(install, options);
};

/** The package that a meta package of Debian's stands for, such as `linux-image-6.1.0-57-amd64`. */
export const realPackage = async (meta: string, pattern: RegExp): Promise<string> => {
  const {stdout} = await runProgram(['apt-cache', 'depends', meta]);
  const found = stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => pattern.exec(line.replace(/^\s*\|?Depends:\s*/, '').trim())?.[0] ?? [])[0];
  if (found === undefined)
    throw new Trouble(`apt knows no ${meta}`, `Refresh its lists: ${isRoot() ? '' : 'sudo '}apt-get update`);
  return found;
};

/** The version of a package that `apt-get download` would fetch. */
export const candidateVersion = async (name: string): Promise<string> => {
  const {stdout} = await runProgram(['apt-cache', 'show', '--no-all-versions', name]);
  const version = /^Version: (\S+)$/m.exec(stdout.toString('utf8'))?.[1];
  if (version === undefined) throw new Trouble(`apt knows no version of ${name}`);
  return version;
};

/** Fetches a package into a directory, without installing it; no right is needed for that. */
export const downloadPackage = async (name: string, directory: string): Promise<string> => {
  // As root apt would fetch as another user, who cannot write here.
  const asWeAre = isRoot() ? ['-o', 'APT::Sandbox::User=root'] : [];
  const {code, stderr} = await runProgram(['apt-get', ...asWeAre, 'download', name], {cwd: directory});
  const file = readdirSync(directory).find((entry) => entry.endsWith('.deb'));
  if (code === 0 && file !== undefined) return join(directory, file);
  throw new Trouble(
    `${name} could not be fetched:\n${stderr.trim()}`,
    `Look at the network, or refresh apt's lists: ${isRoot() ? '' : 'sudo '}apt-get update`,
  );
};

/** Takes files out of a package into a directory; patterns are `tar`'s. */
export const takeFromPackage = async (deb: string, patterns: readonly string[], directory: string): Promise<void> => {
  const script = 'deb=$1; shift; dpkg-deb --fsys-tarfile "$deb" | tar -x --wildcards "$@"';
  const {stderr} = await runProgram(['sh', '-c', script, 'sh', deb, ...patterns], {cwd: directory});
  // tar also complains of patterns that match nothing, which is for whoever looks for the files to say.
  if (
    /No space left|Cannot write|Unexpected EOF|error/i.test(
      stderr.replaceAll(/.*Not found in archive.*|.*Exiting with failure.*/g, ''),
    )
  )
    throw new Trouble(`the package ${deb} could not be unpacked:\n${stderr.trim()}`);
};
