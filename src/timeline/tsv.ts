/** A row of a timeline as it is kept. */
export interface TimelineRow {
  /** Milliseconds since the exec of the target. */
  readonly ms: number;
  readonly name: string;
  /** Who said so: the target itself, or we who looked from outside. */
  readonly source: 'target' | 'outside';
  /** How late it may have been noticed, in milliseconds. */
  readonly slackMs: number;
  /** JSON, as the target wrote it; empty where there is none. */
  readonly data: string;
}

export const tsvHeader = 'ms\tname\tsource\tslack_ms\tdata';

/** A timeline as tab-separated values with a header, in the order of time. */
export const timelineTsv = (rows: readonly TimelineRow[]): string =>
  [
    tsvHeader,
    ...[...rows]
      .sort((a, b) => a.ms - b.ms)
      .map(({ms, name, source, slackMs, data}) =>
        [ms.toFixed(3), clean(name), source, slackMs.toFixed(3), clean(data)].join('\t'),
      ),
    '',
  ].join('\n');

const clean = (text: string): string => text.replace(/[\t\r\n]/g, ' ');
