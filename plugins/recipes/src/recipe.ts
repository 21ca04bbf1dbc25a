/** Values of other plugins that a recipe may hand on, and the steps that find them out. */
export const passable = {
  'git-identity': ['git-identity/github', 'git-identity/git'],
  'github-repos': ['github-repos/repos'],
  'gh-token': ['gh-token/token'],
} as const;

export type PassName = keyof typeof passable;

/** Launch verbs whose words say what is to run: a shell or a command, or the agent of that name. */
export const servable = ['shell', 'claude', 'codex', 'opencode', 'copilot'] as const;

export type Verb = (typeof servable)[number];

/** Arguments of the launcher that are there always, or only in some launches. */
export interface Item {
  readonly texts: readonly string[];
  /** `tty`: stdin and stdout are terminals. `git-identity`: name and e-mail are known. Absent: always. */
  readonly when?: Condition;
}

export type Condition = 'tty' | 'git-identity';

/** A line of the launcher's stderr that says how far it is. */
export interface Pattern {
  /** As it shows in profiles. */
  readonly name: string;
  /** The line begins with this, as it was written: plain text, not an expression. */
  readonly line: string;
  /** And holds this behind it. Empty: anything. */
  readonly has: string;
  /** Which phase begins here. */
  readonly phase?: Boundary;
}

export type Boundary = 'boot' | 'run' | 'teardown';

/** How a launcher is called, and what its lines mean. */
export interface Recipe {
  /** The launcher itself: a name on PATH or a path. */
  readonly program: string;
  /** Its arguments in front of the caller's command. */
  readonly before: readonly Item[];
  /** Its arguments behind the caller's command; most launchers have none. */
  readonly after: readonly Item[];
  /** Set for the launcher; null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly milestones: readonly Pattern[];
  readonly pass: readonly PassName[];
  /** Launch verbs that it serves besides `run`. */
  readonly verbs: readonly Verb[];
  /** npm package that the launcher came with: `update-check` looks for a newer version. */
  readonly package?: string;
}
