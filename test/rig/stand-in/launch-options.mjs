import {existsSync, realpathSync} from 'node:fs';
import {isIP, isIPv6} from 'node:net';
import {LaunchError, rustQuoted, say} from './output.mjs';

/** Values of `--mount`, `--publish`, `--allow-egress`: checked by the launch, not by the argument parser, so status 1. */

export function parseMounts(values) {
  return values.map((entry) => {
    const colon = entry.indexOf(':');
    const host = (colon < 0 ? entry : entry.slice(0, colon)).trim();
    const guest = (colon < 0 ? entry : entry.slice(colon + 1)).trim();
    if (host === '' || guest === '')
      throw mountError(`--mount value ${rustQuoted(entry)} must be HOST[:GUEST] (non-empty)`);
    if (!host.startsWith('/')) throw mountError(`--mount host path ${rustQuoted(host)} must be absolute`);
    if (!guest.startsWith('/')) throw mountError(`--mount guest path ${rustQuoted(guest)} must be absolute`);
    if (hasControl(guest)) {
      throw mountError(
        `--mount guest path ${rustQuoted(guest)} contains control characters that can't be carried into the guest`,
      );
    }
    if (!existsSync(host)) {
      throw mountError(`canonicalizing --mount host ${rustQuoted(host)}`, 'No such file or directory (os error 2)');
    }
    return {host: realpathSync(host), guest};
  });
}

const mountError = (...causes) => new LaunchError('parsing --mount', ...causes);

export const hasControl = (text) => /[\u0000-\u001f\u007f-\u009f]/u.test(text);

export function announceNetwork({options, features}, mounts) {
  for (const {host, guest} of mounts) say(`==> Mounting ${host} -> ${guest}`);
  if (features.networkFlags) {
    for (const {bind, hostPort, guestPort} of parsePublish(options.publish)) {
      say(`==> Publishing host ${bind}:${hostPort}/tcp → guest :${guestPort}`);
    }
    for (const cidr of parseEgress(options['allow-egress'])) say(`==> Egress policy: allowing ${cidr}`);
    if (options['allow-lan']) {
      say('==> Egress policy: --allow-lan enabled (Private RFC1918 + 100.64/10 + fc00::/7 reachable)');
    }
    if (options['allow-host']) {
      say('==> Egress policy: --allow-host enabled (host.microsandbox.internal → host 127.0.0.1 reachable)');
    }
  }
  const proxy = process.env.HTTPS_PROXY || process.env.HTTP_PROXY || process.env.ALL_PROXY;
  if (features.guestProxy && proxy) {
    say(`==> Proxy: routing guest egress + image pulls through ${withoutUser(proxy)} (HTTP CONNECT)`);
  }
}

const withoutUser = (proxy) => proxy.replace(/\/\/[^@/]*@/, '//');

function parsePublish(values) {
  return values.map((entry) => {
    const fail = (reason) => new LaunchError('parsing --publish', `--publish ${rustQuoted(entry)}${reason}`);
    const protocol = /\/(tcp|udp|TCP|UDP)$/.exec(entry)?.[1]?.toLowerCase();
    if (protocol === 'udp') throw fail(': UDP is not yet supported; remove `/udp` to publish a TCP port instead');
    const body = protocol === undefined ? entry : entry.slice(0, -4);
    const bracketed = /^\[([^\]]*)\]:(.*)$/.exec(body);
    const parts = (bracketed === null ? body : bracketed[2]).split(':');
    const ports = parts.slice(-2);
    const bind = bracketed?.[1] ?? (parts.length === 3 ? parts[0] : '127.0.0.1');
    if (ports.length !== 2 || parts.length > (bracketed === null ? 3 : 2)) {
      throw fail(' must be [HOST_BIND:]HOST_PORT:GUEST_PORT or [IPv6_BIND]:HOST_PORT:GUEST_PORT');
    }
    if (bracketed === null ? isIP(bind) === 0 : !isIPv6(bind))
      throw fail(`: HOST_BIND ${rustQuoted(bind)} is not an IP`);
    const bad = ports.find((port) => !/^\+?\d+$/.test(port) || Number(port) > 65_535);
    if (bad !== undefined) throw fail(`: port ${rustQuoted(bad)} is not a u16`);
    const [hostPort, guestPort] = ports.map(Number);
    if (hostPort === 0 || guestPort === 0) throw fail(': port 0 is not allowed');
    return {bind, hostPort, guestPort};
  });
}

function parseEgress(values) {
  return values.map((entry) => {
    const [address, prefix, more] = entry.split('/');
    const family = isIP(address);
    const limit = family === 6 ? 128 : 32;
    const isGood =
      family !== 0 && more === undefined && (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= limit));
    if (!isGood) {
      const kind = prefix === undefined ? 'not an IP address or CIDR' : 'not a valid CIDR';
      throw new LaunchError('parsing --allow-egress', `--allow-egress ${rustQuoted(entry)}: ${kind}`);
    }
    return `${address}/${prefix ?? limit}`;
  });
}
