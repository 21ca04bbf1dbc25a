/** An image reference, completed as Docker completes it. */
export interface ImageReference {
  /** Host, with its port if it has one. */
  readonly registry: string;
  readonly repository: string;
  /** `latest` when neither tag nor digest is given; undefined when only a digest is. */
  readonly tag: string | undefined;
  /** Present when pinned: then there is nothing newer by definition. */
  readonly digest: string | undefined;
}

const component = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';

const isHost = new RegExp(`^${host}$`);
const isPath = new RegExp(`^${component}(?:/${component})*$`);
/** Path, tag and digest of what comes after the registry. */
const parts = new RegExp(`^([^:@]+)(?::([\\w][\\w.-]{0,127}))?(?:@(${digest}))?$`);

/** Longest name, registry and repository together, that the distribution grammar allows. */
const nameLimit = 255;

/** Reads a reference by the grammar of the distribution project; undefined for one that is not valid. */
export const parseReference = (text: string): ImageReference | undefined => {
  const {registry, rest} = splitRegistry(text);
  const [, path = '', tag, digest] = parts.exec(rest) ?? [];
  if (
    !isHost.test(registry) ||
    !URL.canParse(`https://${registry}`) ||
    !isPath.test(path) ||
    registry.length + path.length + 1 > nameLimit
  )
    return undefined;
  // 64 hexadecimal digits are an image's id, which names no repository.
  if (rest === text && /^[a-f0-9]{64}$/.test(path)) return undefined;
  const isHub = registry === 'docker.io' || registry === 'index.docker.io' || registry === hub;
  return {
    registry: isHub ? hub : registry,
    repository: isHub && !path.includes('/') ? `library/${path}` : path,
    tag: tag ?? (digest === undefined ? 'latest' : undefined),
    digest,
  };
};

/** Where Docker Hub's registry is; `docker.io` is only its name in references. */
export const hub = 'registry-1.docker.io';

/** The first segment is a registry by a dot or a port in it; any other name but `localhost` is one of Docker Hub's. */
const splitRegistry = (text: string): {readonly registry: string; readonly rest: string} => {
  const slash = text.indexOf('/');
  const first = slash === -1 ? '' : text.slice(0, slash);
  const isRegistry = first === 'localhost' || /[.:]/.test(first);
  return isRegistry ? {registry: first, rest: text.slice(slash + 1)} : {registry: hub, rest: text};
};

/** Address of a registry. Plain HTTP for this machine only, as Docker does without being told otherwise. */
export const originOf = ({registry}: Pick<ImageReference, 'registry'>): string => {
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(registry);
  return new URL(`${isLocal ? 'http' : 'https'}://${registry}`).origin;
};
