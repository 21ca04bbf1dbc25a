/** `1.8.0_402` → 8, `17.0.15` → 17, `25-ea` → 25; undefined for what is no version. */
export const featureVersion = (version: string): number | undefined => {
  const [, old, feature] = /^(1\.)?(\d{1,3})(?![\d])/.exec(version) ?? [];
  if (feature === undefined) return undefined;
  // A plain `1` is nobody's release; the old scheme always has a second number.
  return old === undefined && feature === '1' ? undefined : Number(feature);
};
