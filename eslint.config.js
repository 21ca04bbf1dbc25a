// @ts-check
/* Typed rules, the import fence and size limits. Formatting and import order are Biome's. */
import eslint from '@eslint/js';
import {defineConfig} from 'eslint/config';
import tseslint from 'typescript-eslint';

/*
 * What a folder of src/ may import from the others, and nothing else of ours: data flows one way, so an import that
 * points to the left is a mistake in the design. A new folder must be added here before anything can import it.
 */
const fence = {
  model: [],
  testing: [],
  system: ['model'],
  profile: ['model'],
  config: ['model', 'system'],
  protocol: ['model', 'system'],
  record: ['model', 'system', 'profile'],
  cache: ['model', 'system'],
  steps: ['model', 'system'],
  timeline: ['model', 'system'],
  readiness: ['model', 'system', 'timeline'],
  bench: ['model', 'system', 'profile', 'timeline', 'readiness'],
  savings: ['model', 'system', 'bench'],
  launch: [
    'model',
    'system',
    'config',
    'protocol',
    'record',
    'profile',
    'cache',
    'steps',
    'timeline',
    'readiness',
    'savings',
  ],
  daemon: ['model', 'system', 'config', 'protocol', 'record', 'cache', 'steps', 'launch'],
  client: [
    'model',
    'system',
    'config',
    'protocol',
    'record',
    'profile',
    'cache',
    'steps',
    'launch',
    'readiness',
    'savings',
  ],
  views: ['model', 'system', 'protocol', 'profile', 'readiness', 'bench', 'savings'],
  commands: [
    'model',
    'system',
    'config',
    'protocol',
    'record',
    'profile',
    'readiness',
    'bench',
    'savings',
    'client',
    'views',
  ],
};
const folders = Object.keys(fence);

/** The fence of one folder, as the groups of `no-restricted-imports`. */
const outside = (allowed, own) => ({
  patterns: [
    {
      // A path out of the folder, at any depth, that does not lead into an allowed one or to the file's own neighbours.
      regex: `^(?:\\.\\./)+(?:${folders.filter((name) => name !== own && !allowed.includes(name)).join('|')})/`,
      message: `src/${own} imports only ${['its own files', ...allowed].join(', ')} (the order is in ARCHITECTURE.md).`,
    },
    // Files directly in src/ are entries and the commands' frame. Only commands/ has folders of its own to climb out of.
    own === 'commands'
      ? {regex: '^(?:\\.\\./)+(?:plugin|index|commands-main)\\.js$', message: 'The entries are nobody’s foundation.'}
      : {regex: '^\\.\\./[^/]+\\.js$', message: 'The entries and the commands’ frame are nobody’s foundation.'},
    {regex: '^bootcut(?:/|$)', message: 'Inside src/ import the file itself; `bootcut/plugin` is for plugins.'},
  ],
});

const fences = Object.entries(fence).map(([folder, allowed]) => ({
  name: `bootcut/fence/${folder}`,
  files: [`src/${folder}/**/*.ts`],
  rules: {'no-restricted-imports': ['error', outside(allowed, folder)]},
}));
const typed = ['src/**/*.ts', 'plugins/*/src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', '*.config.ts'];
const shipped = ['src/**/*.ts', 'plugins/*/src/**/*.ts'];
const untyped = ['**/*.js', '**/*.mjs'];

export default defineConfig(
  {ignores: ['**/dist/', '**/node_modules/', 'coverage/', '.bootcut-demo/', 'templates/']},
  {linterOptions: {reportUnusedDisableDirectives: 'error'}},
  {
    name: 'bootcut/typed',
    files: typed,
    extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked],
    languageOptions: {parserOptions: {project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname}},
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', {considerDefaultExhaustiveForUnions: true}],
      // Numbers are the content of half of our sentences; what the rule is about (objects, undefined) stays forbidden.
      '@typescript-eslint/restrict-template-expressions': ['error', {allowNumber: true}],
      // `() => void promise` and `() => doIt()` as one-line callbacks are this code's style.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // An underscore says: the shape asks for it, the body does not.
      '@typescript-eslint/no-unused-vars': [
        'error',
        {argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true},
      ],
      // Control characters are what several of our expressions look for: terminals obey them.
      'no-control-regex': 'off',
      // `async` is also how a function that may throw keeps to an interface of promises.
      '@typescript-eslint/require-await': 'off',
      // Spreading a text is how this code takes it apart by characters, and code points are what it wants.
      '@typescript-eslint/no-misused-spread': ['error', {allow: [{from: 'lib', name: 'string'}, 'string']}],
    },
  },
  {
    name: 'bootcut/tests',
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // vitest's asymmetric matchers (`expect.any`) are typed `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // A test may pass a method to `expect` without calling it.
      '@typescript-eslint/unbound-method': 'off',
      // A check that the types call unnecessary is what a test is for.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-template-expression': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    name: 'bootcut/shipped',
    files: shipped,
    rules: {
      'max-lines': ['error', {max: 250}],
      'max-lines-per-function': ['error', {max: 60}],
      'no-console': 'error',
    },
  },
  {
    name: 'bootcut/plugins',
    files: ['plugins/*/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {regex: '(?:^|/)src/', message: 'A plugin of ours proves the public API: import `bootcut/plugin`.'},
            {regex: '^bootcut(?!/plugin$)', message: 'A plugin imports only `bootcut/plugin` of ours.'},
            {regex: '^(?:\\.\\./){3,}', message: 'A plugin stands alone: nothing outside of its folder.'},
          ],
        },
      ],
    },
  },
  ...fences,
  {
    name: 'bootcut/fence/public',
    // What strangers build on may not drag in what only we need.
    files: ['src/plugin.ts', 'src/index.ts', 'src/testing.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^\\./(?!model/|system/|steps/|profile/|record/|testing/)',
              message: 'Not part of the public entries.',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'bootcut/tables',
    // One exhaustive switch, a case for each failure: splitting it would only hide one that is missing.
    files: ['src/views/failure.ts'],
    rules: {'max-lines-per-function': 'off'},
  },
  {
    name: 'bootcut/scripts',
    files: untyped,
    extends: [eslint.configs.recommended],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'Buffer',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'performance',
          'fetch',
          'AbortController',
          'AbortSignal',
          'setImmediate',
          'structuredClone',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: {'no-control-regex': 'off', 'no-unused-vars': ['error', {argsIgnorePattern: '^_', varsIgnorePattern: '^_'}]},
  },
);
