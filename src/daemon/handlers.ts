import type {Ask, Reply} from '../protocol/asks.js';

/** One handler for each kind of question; a kind without one does not compile. */
export type Handlers = {readonly [K in Ask['kind']]: (ask: Extract<Ask, {kind: K}>) => Promise<Reply<K>>};
