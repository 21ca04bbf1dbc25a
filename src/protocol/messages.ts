/** Numbers of the wire. Kept in one place because the native launcher has the same list. */

/** First bytes of the greeting; a peer without them is not one of ours. */
export const magic = 'BCUT';

/** Counts changes of the launch frames. Greeting, ask, reply and stop never change. */
export const protocolVersion = 2;

export const frameType = {
  // front or command → daemon
  hello: 0x01,
  launch: 0x02,
  started: 0x03,
  line: 0x04,
  ended: 0x05,
  ready: 0x06,
  ask: 0x10,
  // daemon → front or command
  welcome: 0x81,
  wait: 0x82,
  plan: 0x83,
  pass: 0x84,
  reply: 0x90,
} as const;

export const helloTag = {magic: 1, protocol: 2, build: 3} as const;

export const launchTag = {
  arg: 1,
  env: 2,
  cwd: 3,
  stdio: 4,
  execAt: 5,
  frontAt: 6,
  sentAt: 7,
  pid: 8,
  front: 9,
  mergedOutput: 10,
} as const;

export const planTag = {
  launchId: 1,
  keep: 2,
  literal: 3,
  envSet: 4,
  envUnset: 5,
  envPrepend: 6,
  executable: 7,
  notice: 8,
  observe: 9,
  refusal: 10,
} as const;

/** Items of a plan that only the Node front is sent, which can watch readiness. */
export const untilTag = {condition: 11, limit: 12} as const;

/** What such a front saw. */
export const readyTag = {at: 1, milestone: 2, note: 3} as const;

export const progressTag = {at: 1, pid: 2, text: 3, ending: 4, code: 5, doneAt: 6} as const;

/** Why the daemon leaves a launch to its front. */
export const passReasons = ['older-daemon', 'newer-daemon', 'in-process', 'help', 'draining', 'failed'] as const;
export type PassReason = (typeof passReasons)[number];

/** How a target ended. */
export const endings = ['exited', 'killed', 'not-started'] as const;
export type EndingKind = (typeof endings)[number];

/** Who speaks: protocol number and build, first thing on every connection in both directions. */
export interface Greeting {
  readonly protocol: number;
  readonly build: string;
}
