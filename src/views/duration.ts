/** A length of time for people, from milliseconds: `0.42 ms`, `32 ms`, `1,290 ms`, `12.3 s`, `4 min`, `2.5 h`, `3 d`. */
export const duration = (milliseconds: number): string => {
  const size = Math.abs(milliseconds);
  if (size < 10) return `${milliseconds.toFixed(2)} ms`;
  if (size < 10_000) return `${Math.round(milliseconds).toLocaleString('en-US')} ms`;
  if (size < 120_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (size < 7_200_000) return `${Math.round(milliseconds / 60_000)} min`;
  if (size < 172_800_000) return `${(milliseconds / 3_600_000).toFixed(1)} h`;
  return `${Math.round(milliseconds / 86_400_000)} d`;
};
