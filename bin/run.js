#!/usr/bin/env node
/* Launch verbs go straight to the front; loading oclif for them would cost more than everything else they do. */
const verbs = ['run', 'shell', 'claude', 'codex', 'opencode', 'copilot', 'agent-vm', 'setup', 'pull', 'clipboard'];
const args = process.argv.slice(2);

const launch = async () => {
  const {runFront} = await import('../dist/client/front.js');
  return await runFront(args);
};

if (!verbs.includes(args[0]) || (await launch()) === 'help') {
  const {runCommands} = await import('../dist/commands-main.js');
  await runCommands(args, import.meta.url);
}
