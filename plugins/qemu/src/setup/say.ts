/** How setup speaks: lines on stderr, and on a terminal one line that changes while something goes on. */
export interface Say {
  readonly line: (text: string) => void;
  /** How far something has got; replaced by what comes next. */
  readonly progress: (text: string) => void;
}

/** Erase the line, and go to its start. */
const fresh = '\r\u001b[K';

/** Percent between two lines where nobody sees a line change. */
export const progressStep = 10;

export const makeSay = (write: (text: string) => void, isTerminal: boolean): Say => {
  let open = false;
  return {
    line: (text) => {
      write(`${open ? fresh : ''}${text}\n`);
      open = false;
    },
    progress: (text) => {
      if (!isTerminal) return write(`${text}\n`);
      write(`${fresh}${text}`);
      open = true;
    },
  };
};

/** Calls `progress` when the whole percentage has changed enough to be told. */
export const countTo = (
  total: number,
  say: Say,
  text: (percent: number, done: number) => string,
  step: number,
): (() => void) => {
  let done = 0;
  let told = -1;
  return () => {
    done += 1;
    const percent = Math.min(99, Math.floor((done * 100) / total));
    if (told >= 0 && percent < told + step) return;
    told = percent;
    say.progress(text(percent, done));
  };
};
