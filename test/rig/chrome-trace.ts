/**
 * Reads a trace as Chrome's own performance panel does: with its trace engine, which is published as a package of its own.
 * It was made for a browser and looks for a few of its names.
 */
export interface ReadSlice {
  readonly process: number;
  readonly thread: number;
  /** The thread's name. */
  readonly track: string;
  readonly name: string;
  /** Microseconds. */
  readonly from: number;
  readonly duration: number;
  /** How many slices it lies in. */
  readonly depth: number;
}

interface TreeNode {
  readonly entry: {readonly name: string; readonly ts: number; readonly dur?: number};
  readonly children: readonly TreeNode[];
}

interface Engine {
  readonly Processor: {
    readonly TraceProcessor: {
      createWithAllHandlers(): {
        parse(events: readonly object[], options: object): Promise<void>;
        readonly data: {
          readonly Renderer: {
            readonly processes: ReadonlyMap<
              number,
              {
                readonly threads: ReadonlyMap<
                  number,
                  {readonly name: string | null; readonly tree?: {readonly roots: Iterable<TreeNode>}}
                >;
              }
            >;
          };
        } | null;
      };
    };
  };
}

/** Every slice that the engine finds in a trace, in the order of its tracks. */
export const readInChrome = async (text: string): Promise<readonly ReadSlice[]> => {
  Object.assign(globalThis, {DOMRect: Object, window: globalThis});
  const engine = (await import('@paulirish/trace_engine')) as unknown as Engine;
  const processor = engine.Processor.TraceProcessor.createWithAllHandlers();
  const {traceEvents} = JSON.parse(text) as {readonly traceEvents: readonly object[]};
  await processor.parse(traceEvents, {isCPUProfile: false, isFreshRecording: false, metadata: {}});
  const slices: ReadSlice[] = [];
  for (const [process, {threads}] of processor.data?.Renderer.processes ?? []) {
    for (const [thread, {name, tree}] of threads) {
      const walk = (node: TreeNode, depth: number): void => {
        const {entry} = node;
        slices.push({
          process,
          thread,
          track: name ?? '',
          name: entry.name,
          from: entry.ts,
          duration: entry.dur ?? 0,
          depth,
        });
        for (const child of node.children) walk(child, depth + 1);
      };
      for (const root of tree?.roots ?? []) walk(root, 0);
    }
  }
  return slices;
};
