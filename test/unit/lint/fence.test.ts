import {Linter} from 'eslint';
import tseslint from 'typescript-eslint';
import {describe, it} from 'vitest';

/** Only the fences of our configuration: they need no types, so a sentence of source is enough. */
const config = (await import(new URL('../../../eslint.config.js', import.meta.url).href)) as {
  readonly default: readonly Linter.Config[];
};
const fences = config.default.filter(
  ({name}) => name?.startsWith('bootcut/fence') === true || name === 'bootcut/plugins',
);

const complaints = (filename: string, source: string): readonly string[] =>
  new Linter()
    .verify(source, [{files: ['**/*.ts'], languageOptions: {parser: tseslint.parser}}, ...fences], filename)
    .map(({message}) => message);

/** A file, what it may import, and what it may not. */
const cases = [
  ['src/model/plan.ts', './units.js', '../system/clock.js'],
  ['src/system/clock.ts', '../model/units.js', '../config/settings.js'],
  ['src/protocol/frames.ts', '../system/clock.js', '../daemon/daemon.js'],
  ['src/cache/entry.ts', '../model/json.js', '../steps/host.js'],
  ['src/steps/host.ts', '../system/log-file.js', '../cache/entry.js'],
  ['src/launch/engine.ts', '../cache/entry.js', '../client/front.js'],
  ['src/daemon/daemon.ts', '../launch/engine.js', '../client/front.js'],
  ['src/client/front.ts', '../launch/engine.js', '../daemon/daemon.js'],
  ['src/views/failure.ts', '../model/failure.js', '../launch/engine.js'],
  ['src/commands/daemon/status.ts', '../../client/front.js', '../../daemon/daemon.js'],
  ['src/commands/profile.ts', '../base-command.js', '../launch/engine.js'],
  ['src/profile/figures.ts', '../model/record.js', '../record/record-log.js'],
  ['src/launch/engine.ts', './prepare.js', '../base-command.js'],
  ['src/launch/engine.ts', 'node:fs', 'bootcut/plugin'],
  ['src/plugin.ts', './model/step.js', './launch/engine.js'],
  ['plugins/process/src/index.ts', 'bootcut/plugin', 'bootcut'],
  ['plugins/process/src/index.ts', './other.js', '../../../src/model/plan.js'],
] as const;

describe('the import fence', () => {
  it.for(cases)('%s may import %s and not %s', ([file, good, bad], {expect}) => {
    expect(complaints(file, `import '${good}';`)).toEqual([]);
    expect(complaints(file, `import type {X} from '${bad}';`)).not.toEqual([]);
    expect(complaints(file, `export * from '${bad}';`)).not.toEqual([]);
  });
});
