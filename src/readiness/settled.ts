import {execFile} from 'node:child_process';
import {get as getPlain} from 'node:http';
import {get as getSecure} from 'node:https';
import {promisify} from 'node:util';
import type {Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {isEqual, type ListItem, topOf} from '../timeline/settle.js';
import type {Condition, Observable} from './condition.js';
import {listFrom} from './observed-list.js';
import {grabScreen} from './screen.js';
import {type Met, never, pause, type Watch, type WatchedTarget} from './watch.js';

/** Between two looks at what is observed, in milliseconds. Output is not looked at: it comes. */
const gapMs = 50;

/** A look that takes longer is given up, in milliseconds. */
const lookLimit = 5000;

type SettledCondition = Extract<Condition, {kind: 'settled'}>;

/**
 * An observable that stops changing. It is noticed when the quiet time is over; the moment that counts is the last change
 * before it, so the quiet time is no part of the figure.
 */
export const watchSettled = ({observable, quiet, top, cutoff}: SettledCondition): Watch => {
  let state = 'nothing was to be seen yet';
  return {
    until: async (target, signal) => {
      const wallStart = systemClock.wall() - (systemClock.now() - target.startedAt);
      let current: readonly string[] | undefined;
      let changedAt = target.startedAt;
      let lastLook = target.startedAt;
      let late = 0;
      while (!signal.aborted) {
        const began = systemClock.now();
        const look = await lookAt(observable, target, signal);
        const now = systemClock.now();
        const ids = look === undefined ? undefined : topOf(look.items, {top, cutoff}, wallStart);
        if (ids !== undefined && !isEqual(ids, current ?? [])) {
          [current, changedAt, late] = [
            ids,
            look?.changedAt ?? began,
            look?.changedAt === undefined ? began - lastLook : 0,
          ];
          state = `it changed last after ${Math.round(changedAt - target.startedAt)} ms`;
        }
        lastLook = began;
        if (current !== undefined && current.length > 0 && now - changedAt >= quiet) {
          return metAt(changedAt, late, observable, current.length);
        }
        await pause(current === undefined || observable.kind !== 'output' ? gapMs : Math.min(gapMs, quiet), signal);
      }
      return await never();
    },
    seen: () => state,
  };
};

const metAt = (at: Moment, late: number, observable: Observable, items: number): Met => ({
  at,
  slack:
    observable.kind === 'output' || observable.kind === 'timeline'
      ? {by: 'event', gapMs: 0, mostMs: 0}
      : {by: 'polled', gapMs, mostMs: late},
  detail: `the ${observable.kind} stopped changing (${items} ${items === 1 ? 'item' : 'items'})`,
});

interface Look {
  readonly items: readonly ListItem[];
  readonly changedAt?: Moment;
}

const lookAt = async (
  observable: Observable,
  target: WatchedTarget,
  signal: AbortSignal,
): Promise<Look | undefined> => {
  switch (observable.kind) {
    case 'output':
      return outputOf(target);
    case 'timeline': {
      const last = target.lists?.().at(-1);
      return last === undefined ? undefined : {items: last.items, changedAt: (target.startedAt + last.at) as Moment};
    }
    case 'url':
      return listed(await textAt(observable.url, signal));
    case 'command':
      return listed(await outputOfCommand(observable.command, target, signal));
    case 'screen': {
      const name = observable.display ?? target.env['DISPLAY'];
      const picture = await grabScreen({name, env: target.env, region: undefined, signal});
      return typeof picture === 'string' || picture.isBlank
        ? undefined
        : {items: [{id: picture.digest, createdAt: undefined}]};
    }
  }
};

const listed = (text: string | undefined): Look | undefined =>
  text === undefined ? undefined : {items: listFrom(text)};

/** Output is one item: how much of it there is. */
const outputOf = ({stdout, stderr}: WatchedTarget): Look | undefined => {
  const bytes = (stdout?.bytes ?? 0) + (stderr?.bytes ?? 0);
  const changedAt = Math.max(stdout?.changedAt ?? 0, stderr?.changedAt ?? 0) as Moment;
  return bytes === 0 ? undefined : {items: [{id: String(bytes), createdAt: undefined}], changedAt};
};

const textAt = (url: string, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const get = url.startsWith('https:') ? getSecure : getPlain;
    // Any certificate will do, as for a condition on https.
    const options = {
      agent: false,
      signal,
      timeout: lookLimit,
      headers: {connection: 'close'},
      rejectUnauthorized: false,
    };
    const request = get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve(response.statusCode === 200 ? text : undefined));
      response.once('error', () => resolve(undefined));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });

const outputOfCommand = async (
  [file = '', ...args]: readonly string[],
  {env, cwd}: WatchedTarget,
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    const {stdout} = await promisify(execFile)(file, args, {env, cwd, signal, timeout: lookLimit});
    return stdout;
  } catch {
    return undefined;
  }
};
