/** An event of a trace, with what tests look at. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds, as is `dur`. */
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The events of a trace as it was written. */
export const traceEvents = (text: string): readonly TraceEvent[] =>
  (JSON.parse(text) as {readonly traceEvents: readonly TraceEvent[]}).traceEvents;

/**
 * Checks a trace against the published Trace Event Format (the Chromium project's document of that name; JSON object
 * form): required fields and their types by phase of the event, and the rule that complete events of one thread nest.
 * Returns what is wrong, one line each.
 */
export const traceFaults = (text: string): readonly string[] => {
  const trace = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const faults: string[] = [];
  if (trace['displayTimeUnit'] !== undefined && !['ms', 'ns'].includes(trace['displayTimeUnit'] as string)) {
    faults.push('displayTimeUnit is neither ms nor ns');
  }
  if (!Array.isArray(trace['traceEvents'])) return [...faults, 'traceEvents is no array'];
  const events = trace['traceEvents'] as readonly Readonly<Record<string, unknown>>[];
  for (const [index, event] of events.entries()) {
    faults.push(...eventFaults(event).map((fault) => `event ${index} (${String(event['name'])}): ${fault}`));
  }
  return [...faults, ...nestingFaults(events), ...nameFaults(events)];
};

type Event = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Argument that each kind of metadata has, and its type. */
const metadata: Readonly<Record<string, readonly [string, string]>> = {
  process_name: ['name', 'string'],
  process_labels: ['labels', 'string'],
  process_sort_index: ['sort_index', 'number'],
  thread_name: ['name', 'string'],
  thread_sort_index: ['sort_index', 'number'],
};

const eventFaults = (event: Event): readonly string[] => {
  const faults: string[] = [];
  if (typeof event['name'] !== 'string') faults.push('name is no text');
  for (const key of ['pid', 'tid']) if (!isCount(event[key])) faults.push(`${key} is no whole number`);
  if (!Number.isSafeInteger(event['ts'])) faults.push('ts is no whole number of microseconds');
  if (event['cat'] !== undefined && typeof event['cat'] !== 'string') faults.push('cat is no text');
  const args = event['args'];
  if (args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) {
    faults.push('args is no object');
  }
  switch (event['ph']) {
    case 'X':
      if (!isCount(event['dur'])) faults.push('dur is no whole number, or less than zero');
      break;
    case 'i':
      if (!['g', 'p', 't'].includes(event['s'] as string)) faults.push('an instant has the scope g, p or t');
      if (event['dur'] !== undefined) faults.push('an instant has no dur');
      break;
    case 'M': {
      const wanted = metadata[event['name'] as string];
      if (wanted === undefined) return [...faults, 'no kind of metadata'];
      const value = (args as Event | undefined)?.[wanted[0]];
      if (typeof value !== wanted[1]) faults.push(`metadata lacks ${wanted[0]}`);
      break;
    }
    default:
      faults.push(`phase ${String(event['ph'])} is none that is used here`);
  }
  return faults;
};

/** Complete events of one thread are a stack: two lie one inside the other, or apart. */
const nestingFaults = (events: readonly Event[]): readonly string[] => {
  const threads = new Map<string, Event[]>();
  for (const event of events.filter(({ph}) => ph === 'X')) {
    const key = `${String(event['pid'])}/${String(event['tid'])}`;
    threads.set(key, [...(threads.get(key) ?? []), event]);
  }
  return [...threads].flatMap(([thread, items]) => {
    const order = items
      .map((event) => ({
        name: event['name'] as string,
        from: event['ts'] as number,
        to: (event['ts'] as number) + (event['dur'] as number),
      }))
      .sort((a, b) => a.from - b.from || b.to - a.to);
    const open: (typeof order)[number][] = [];
    return order.flatMap((event) => {
      while (open.length > 0 && (open.at(-1)?.to ?? 0) <= event.from) open.pop();
      const around = open.at(-1);
      open.push(event);
      return around !== undefined && event.to > around.to
        ? [`thread ${thread}: ${event.name} begins inside ${around.name} and ends after it`]
        : [];
    });
  });
};

/** Every process and every thread that has complete events has a name. */
const nameFaults = (events: readonly Event[]): readonly string[] => {
  const named = new Set(
    events
      .filter(({ph}) => ph === 'M')
      .map(({name, pid, tid}) =>
        name === 'process_name' ? `p${String(pid)}` : `${String(name)} ${String(pid)}/${String(tid)}`,
      ),
  );
  return events
    .filter(({ph}) => ph === 'X')
    .filter(({pid, tid}) => !named.has(`p${String(pid)}`) || !named.has(`thread_name ${String(pid)}/${String(tid)}`))
    .map(({name}) => `${String(name)} is on a track without a name`);
};
