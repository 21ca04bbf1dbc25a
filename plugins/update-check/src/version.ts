/** Numbers, then the parts of a pre-release. */
interface Version {
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
}

/**
 * Is the first version later than the second, by semver's precedence? Undefined when one of them is no such version: what
 * cannot be compared is never called newer. A leading `v` is dropped and missing numbers are zero (`v1.2` is 1.2.0).
 */
export const isLater = (one: string, other: string): boolean | undefined => {
  const [first, second] = [parse(one), parse(other)];
  return first === undefined || second === undefined ? undefined : compare(first, second) > 0;
};

/** A pre-release only behind three numbers: `2024-11-30` is a date. */
const pattern =
  /^v?(\d{1,20}(?:\.\d{1,20}){0,2})(?:(?<=\..*\.\d+)-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

const parse = (text: string): Version | undefined => {
  const [, numbers, pre] = pattern.exec(text.trim()) ?? [];
  if (numbers === undefined) return undefined;
  return {numbers: numbers.split('.').map(BigInt), pre: pre === undefined ? [] : pre.split('.')};
};

const compare = (one: Version, other: Version): number => {
  for (const at of [0, 1, 2]) {
    const difference = order(one.numbers[at] ?? 0n, other.numbers[at] ?? 0n);
    if (difference !== 0) return difference;
  }
  // A version comes after its own pre-releases.
  if (one.pre.length === 0 || other.pre.length === 0) return order(other.pre.length, one.pre.length);
  return comparePre(one.pre, other.pre);
};

const comparePre = (one: readonly string[], other: readonly string[]): number => {
  for (const [at, part] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    const difference = comparePart(part, against);
    if (difference !== 0) return difference;
  }
  return order(one.length, other.length);
};

/** Numbers by value and before words; words by their bytes. */
const comparePart = (one: string, other: string): number => {
  const [isOneNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isOneNumber && isOtherNumber) return order(BigInt(one), BigInt(other));
  return isOneNumber === isOtherNumber ? order(one, other) : isOneNumber ? -1 : 1;
};

const order = <T extends bigint | number | string>(one: T, other: T): number =>
  one < other ? -1 : one > other ? 1 : 0;
