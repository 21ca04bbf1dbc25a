/**
 * The public entry for authors of runtimes: the contract that every runtime keeps, as rules for any test runner.
 *
 * ```ts
 * import {rulesFor} from 'bootcut/testing';
 * import {test} from 'node:test';
 *
 * const runtime = {prefix: ['bootcut', 'run', '--runtime', 'mine', '--'], cwd: project, env: process.env};
 * for (const {name, check} of rulesFor(runtime)) test(name, () => check(runtime));
 * ```
 */
export type {Ability, RuntimeUnderTest} from './testing/launching.js';
export {type ContractRule, rulesFor, runtimeContract} from './testing/runtime-contract.js';
