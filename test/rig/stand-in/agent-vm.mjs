#!/usr/bin/env node
/**
 * Stand-in for the native agent-vm binary, which needs KVM. It does the same work in the same order with the same real
 * `git`, `gh` and HTTP, and runs the guest command as a process of the host. Settings and `msb` lie beside its real path,
 * as msb lies beside the native one.
 */
import {readFileSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {parse} from './args.mjs';
import {featuresOf} from './features.mjs';
import {errorText, printOut, say} from './output.mjs';
import {Witness} from './witness.mjs';

const directory = dirname(realpathSync(process.argv[1]));
const settings = JSON.parse(readFileSync(join(directory, 'stand-in.json'), 'utf8'));
const features = featuresOf(settings.version);
const witness = new Witness(settings);

const parsed = parse(process.argv.slice(2), {env: process.env, features, version: settings.version});
if (parsed.kind === 'done') {
  printOut(parsed.stdout);
  say(parsed.stderr);
  finish(parsed.status);
} else {
  try {
    finish(await dispatch(parsed));
  } catch (error) {
    say(errorText(error));
    finish(1);
  }
}

/** Modules are loaded per command, so that a usage error answers as fast as Node can start. */
async function dispatch(request) {
  if (request.command === 'clipboard') return (await import('./commands.mjs')).clipboard(request);
  const context = {directory, settings, features, witness, options: request.options, verb: request.command};
  const {pointAtMsb} = await import('./msb.mjs');
  await pointAtMsb(context);
  if (request.command === 'setup' || request.command === 'pull') {
    return (await import('./commands.mjs'))[request.command](context);
  }
  return (await import('./launch.mjs')).launch({...context, trailing: request.trailing});
}

/** `process.exit` as the native one: what still runs in the background (the update check) is dropped. */
function finish(status) {
  witness.write({status});
  process.exit(status);
}
