/** Help in clap's layout. The native texts are longer; only that help exists, where it goes and its status matter here. */

const ABOUT = {
  setup: 'Pull and verify the base image (run once first)',
  pull: 'Refresh the cached base image',
  claude: 'Launch Claude Code in a per-project sandbox',
  codex: 'Launch Codex CLI in a per-project sandbox',
  opencode: 'Launch OpenCode in a per-project sandbox',
  copilot: 'Launch GitHub Copilot CLI in a per-project sandbox',
  shell: 'Open a bash shell in a per-project sandbox',
  clipboard: 'Exchange a string between the host and the sandbox',
  help: 'Print this message or the help of the given subcommand(s)',
};

export function topHelp(verbs) {
  const commands = ['setup', 'pull', ...verbs, 'clipboard', 'help'];
  const rows = commands.map((name) => `  ${name.padEnd(10)} ${ABOUT[name]}`).join('\n');
  return (
    `Sandboxed microVMs for AI coding agents.\n\nUsage: agent-vm <COMMAND>\n\nCommands:\n${rows}\n\n` +
    'Options:\n  -h, --help     Print help\n  -V, --version  Print version\n'
  );
}

export function commandHelp(command, options) {
  const rows = options.map(({name, short, value}) => {
    const letter = short === undefined ? '    ' : `-${short}, `;
    return `  ${letter}--${name}${value === undefined ? '' : ` <${value}>`}\n`;
  });
  const about = ABOUT[command.split(' ')[0]];
  return `${about}\n\nUsage: agent-vm ${command} [OPTIONS]\n\nOptions:\n${rows.join('')}  -h, --help\n`;
}
