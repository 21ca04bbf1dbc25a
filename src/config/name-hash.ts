/** Parameters of 64-bit FNV-1a, as its authors publish them. */
const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/**
 * Short name of a directory for its socket: 64-bit FNV-1a over the bytes, 16 hex digits. Chosen because a small native
 * client can compute it in five lines; it guards against mix-ups, not against attackers (the directory's mode does).
 */
export const nameHash = (path: string): string => {
  let hash = offsetBasis;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
};
