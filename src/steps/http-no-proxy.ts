import {BlockList, isIP} from 'node:net';

/**
 * Does a NO_PROXY list take this address out? Items, between commas or blanks: `*`, a host (and all below it, with or
 * without a leading dot), an IP address, a CIDR range; each host or address may have a `:port`.
 */
export const noProxyCovers = (list: string, url: URL): boolean => {
  const host = bare(url.hostname);
  const port = url.port === '' ? defaultPort(url.protocol) : url.port;
  return list
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .some((item) => item === '*' || covers(item.toLowerCase(), host, port));
};

const defaultPort = (protocol: string): string => (protocol === 'https:' ? '443' : '80');

/** Without the brackets of an IPv6 address, without the dot that ends an absolute name, in lower case. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

const covers = (item: string, host: string, port: string): boolean => {
  if (item.includes('/')) return inRange(item, host);
  const [, name = '', wanted] = itemParts(item);
  if (wanted !== undefined && wanted !== port) return false;
  const suffix = bare(name.replace(/^\*?\./, ''));
  if (suffix === '') return false;
  if (isIP(host) !== 0) return isIP(suffix) !== 0 && sameAddress(host, suffix);
  return host === suffix || host.endsWith(`.${suffix}`);
};

/** Host and port of an item; a bare IPv6 address has colons and no port. */
const itemParts = (item: string): readonly (string | undefined)[] =>
  isIP(item) === 6 ? [item, item] : (/^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(item) ?? [item, item]);

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const sameAddress = (one: string, other: string): boolean => {
  const list = new BlockList();
  list.addAddress(other, family(other));
  return list.check(one, family(one));
};

const inRange = (range: string, host: string): boolean => {
  const [start = '', bits = ''] = range.split('/');
  const address = bare(start);
  const width = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) === 0 || isIP(host) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > width) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family(address));
  return list.check(host, family(host));
};
