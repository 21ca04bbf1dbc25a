/** Nothing is said of work that takes less than this, in milliseconds. */
const patience = 1000;

/** Says what is going on, on stderr, to a person at a terminal, once it has taken a second. Returns how to end that. */
export const sayWhenLong = (what: string): (() => void) => {
  if (!process.stderr.isTTY) return () => undefined;
  const timer = setTimeout(() => process.stderr.write(`${what} …\n`), patience);
  return () => clearTimeout(timer);
};
