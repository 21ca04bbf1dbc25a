import type {ReadinessSeen} from '../launch/finish.js';
import type {LaunchOptions, LaunchRequest} from '../model/launch.js';
import type {Plan} from '../model/plan.js';
import {Channel} from '../protocol/channel.js';
import {encodeLaunch} from '../protocol/launch-codec.js';
import {frameType} from '../protocol/messages.js';
import {decodePlan} from '../protocol/plan-codec.js';
import {decodePass, encodeProgress, type Progress} from '../protocol/progress-codec.js';

/** Longest silence of the daemon that a launch puts up with, in milliseconds (promise 1). */
const silenceLimit = 50;

/** Where a plan came from, and where the course of the launch is reported to. */
export interface PlanSource {
  readonly plan: Plan;
  readonly report: (progress: Progress) => void;
  /** Conditions to watch while the target runs; absent: none. */
  readonly until?: LaunchOptions['until'];
  /** What came of them; before `finish`. */
  readonly reportReadiness?: (seen: ReadinessSeen) => void;
  /** This launch wanted no daemon, so none is started for the next either. */
  readonly noDaemon: boolean;
  /** After the end was reported: returns when the report is out of our hands, or when waiting is not worth it. */
  readonly finish: () => Promise<void>;
}

/** The daemon's plan, or why this launch goes on without the daemon. */
export type FromDaemon =
  | {readonly kind: 'planned'; readonly source: PlanSource}
  | {readonly kind: 'help'}
  | {readonly kind: 'without'; readonly reason: string};

/** Asks the daemon for a plan. Never takes more than 50 ms of silence, whatever is at the other end. */
export const planFromDaemon = async (socket: string, request: LaunchRequest): Promise<FromDaemon> => {
  const channel = new Channel(socket);
  channel.send(encodeLaunch(request));
  for (;;) {
    const received = await channel.next(silenceLimit);
    if (received.kind !== 'frame') {
      channel.close();
      const reason = received.kind === 'gone' ? goneReason(received.code) : `daemon-${received.kind}`;
      return {kind: 'without', reason};
    }
    const {type, payload} = received.frame;
    if (type === frameType.welcome || type === frameType.wait) continue;
    const plan = type === frameType.plan ? decodePlan(payload) : undefined;
    if (plan !== undefined) return {kind: 'planned', source: daemonSource(channel, plan)};
    channel.close();
    if (type !== frameType.pass) return {kind: 'without', reason: 'daemon-nonsense'};
    const reason = decodePass(payload);
    return reason === 'help' ? {kind: 'help'} : {kind: 'without', reason};
  }
};

const goneReason = (code: string): string =>
  code === 'ENOENT' || code === 'ECONNREFUSED' ? 'daemon-absent' : `daemon-gone (${code})`;

const daemonSource = (channel: Channel, plan: Plan): PlanSource => {
  channel.unref();
  return {
    plan,
    noDaemon: false,
    ...(plan.until === undefined ? {} : {until: plan.until}),
    reportReadiness: (seen) => channel.send(encodeProgress({kind: 'ready', ...seen})),
    report: (progress) => channel.send(encodeProgress(progress)),
    // It stays open: the system closes it with our process, and that is how the daemon knows when the launch was over.
    finish: async () => {
      channel.ref();
      await channel.flushed(silenceLimit);
    },
  };
};
