/*
 * `node --import ./bench/typescript.mjs bench/x.ts`: runs TypeScript where it lies, on any Node we support. Benches and the
 * rig find the built command, the stand-in and the repository by their own place, so they must not be compiled elsewhere.
 */
import {register} from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
