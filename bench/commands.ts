/** Our quickest commands against an oclif command that does nothing. */
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {interleave, publish, ratioFigure, repository, rounds} from './lib/bench.js';
import {timeSync} from './lib/spawned.js';
import {median} from './lib/statistics.js';

/** A command line tool with one empty command, built and with a manifest, as oclif's own template lays it out. */
const emptyTool = async (directory: string): Promise<string> => {
  await mkdir(join(directory, 'commands'), {recursive: true});
  await symlink(join(repository, 'node_modules'), join(directory, 'node_modules'));
  const oclif = {bin: 'empty', dirname: 'empty', commands: './commands'};
  await writeFile(
    join(directory, 'package.json'),
    JSON.stringify({name: 'empty', version: '1.0.0', type: 'module', oclif}),
  );
  await writeFile(
    join(directory, 'commands', 'nothing.js'),
    "import {Command} from '@oclif/core';\nexport default class Nothing extends Command {\n  async run() {}\n}\n",
  );
  const nothing = {id: 'nothing', aliases: [], args: {}, flags: {}, hiddenAliases: [], strict: true};
  const manifest = {
    commands: {
      nothing: {
        ...nothing,
        pluginAlias: 'empty',
        pluginName: 'empty',
        pluginType: 'core',
        isESM: true,
        relativePath: ['commands', 'nothing.js'],
      },
    },
    version: '1.0.0',
  };
  await writeFile(join(directory, 'oclif.manifest.json'), JSON.stringify(manifest));
  const bin = join(directory, 'run.js');
  await writeFile(bin, "import {execute} from '@oclif/core';\nawait execute({dir: import.meta.url});\n");
  return bin;
};

await using rig = await LaunchRig.create();
await rig.startDaemon();
const empty = await emptyTool(join(rig.root, 'empty'));
const where = {env: rig.environment(), cwd: rig.dir};
timeSync([bootcut, 'run', '--', '/bin/true'], where);

const samples = await interleave(rounds(30), {
  'empty oclif command': () => timeSync(['node', empty, 'nothing'], where),
  'bootcut --version': () => timeSync([bootcut, '--version'], where),
  'bootcut profile': () => timeSync([bootcut, 'profile'], where),
  'bootcut daemon status': () => timeSync([bootcut, 'daemon', 'status'], where),
});
const base = median(samples['empty oclif command']);
publish({
  name: 'commands',
  title: 'commands against an empty oclif command',
  endpoint:
    'spawn to end of the process, by the parent’s clock; files in the page cache, daemon running, 1 launch on record',
  figures: (['bootcut --version', 'bootcut profile', 'bootcut daemon status'] as const).map((name) =>
    ratioFigure(`${name} / empty oclif command`, median(samples[name]) / base, 1.1),
  ),
  samples,
});
