import type {Json} from 'bootcut/plugin';

/** The first release whose pre-boot work is known to us (it brought the identity look-up). */
const oldest = 14;

/** Semver as `agent-vm --version` may print it. */
export const semver = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * The N of a published `0.1.N` that we know how to help; later ones count as the newest known. Undefined for everything
 * else (older, another major, a build between releases): then agent-vm is left alone.
 */
export const knownRelease = (version: Json | undefined): number | undefined => {
  const patch = typeof version === 'string' ? /^0\.1\.(\d{1,6})$/.exec(version)?.[1] : undefined;
  return patch !== undefined && Number(patch) >= oldest ? Number(patch) : undefined;
};

/** Has this release the verb? `copilot` came with v0.1.24. */
export const hasVerb = (release: number, verb: string): boolean => verb !== 'copilot' || release >= 24;

/** The update check delays the boot up to v0.1.19; later it runs beside it. */
export const checkDelaysBoot = (release: number): boolean => release < 20;

/**
 * From v0.1.18 a launch with `--no-update-check` does not write down the image's digest any more, so that the flag may
 * only be added where that has happened already.
 */
export const flagStopsMarker = (release: number): boolean => release >= 18;

/** From v0.1.20 the author's identity is kept in a file that we may fill; before, only a `gh` shim spares the call. */
export const readsIdentityFile = (release: number): boolean => release >= 20;
