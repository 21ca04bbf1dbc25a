/** Work that goes on for as long as somebody wants it. */
interface Shared<Done> {
  readonly run: Promise<Done>;
  readonly end: AbortController;
  wanted: number;
}

/**
 * Launches that want the same work at the same time share one run of it: it begins with the first of them and is ended when
 * the last one is over. Whoever did not begin it is told nothing (undefined), so that it is counted once.
 */
export const shareRuns = <Done>(): ((
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Done>,
) => Promise<Done | undefined>) => {
  const running = new Map<string, Shared<Done>>();
  const begin = (key: string, work: (signal: AbortSignal) => Promise<Done>): Shared<Done> => {
    const end = new AbortController();
    const shared = {run: work(end.signal), end, wanted: 0};
    running.set(key, shared);
    const forget = (): void => {
      if (running.get(key) === shared) running.delete(key);
    };
    end.signal.addEventListener('abort', forget, {once: true});
    void shared.run.then(forget, forget);
    return shared;
  };
  return async (key, signal, work) => {
    const found = running.get(key);
    const shared = found ?? begin(key, work);
    shared.wanted += 1;
    const leave = (): void => {
      shared.wanted -= 1;
      if (shared.wanted === 0) shared.end.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, {once: true});
    const done = await shared.run;
    return found === undefined ? done : undefined;
  };
};
