/** One GET as reqwest does it: proxy variables, up to ten redirects, Authorization dropped when the host changes. */

const MAX_REDIRECTS = 10;

/** `{status, headers, body}`; `headers` keeps the first value of each name, lower-cased, as reqwest's `get` gives it. */
export async function httpGet(url, {headers = {}, signal}) {
  let address = new URL(url);
  let sent = headers;
  for (let hop = 0; ; hop += 1) {
    const answer = await getOnce(address, sent, signal);
    const location = answer.headers.location;
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
    if (hop === MAX_REDIRECTS) throw new Error('too many redirects');
    const next = new URL(location, address);
    if (next.host !== address.host) sent = withoutAuthorization(sent);
    address = next;
  }
}

const withoutAuthorization = ({Authorization: _, ...rest}) => rest;

async function getOnce(address, headers, signal) {
  const proxy = proxyFor(address);
  if (proxy === null) return exchange(await module(address.protocol), address, {headers, signal});
  const auth = proxyAuthorization(proxy);
  if (address.protocol === 'http:') {
    const options = {
      ...endpoint(proxy),
      path: address.href,
      headers: {Host: address.host, ...auth, ...headers},
      signal,
    };
    return exchange(await module('http:'), options, {});
  }
  const socket = await tunnel(proxy, address, auth, signal);
  const tls = await import('node:tls');
  const secured = tls.connect({socket, servername: address.hostname});
  return exchange(await module('http:'), address.href.replace(/^https:/, 'http:'), {
    headers,
    signal,
    createConnection: () => secured,
  });
}

/** Not through `import`: from Node 22 that reads every export and so loads the built-in fetch. */
async function module(protocol) {
  const {createRequire} = await import('node:module');
  return createRequire(import.meta.url)(protocol === 'https:' ? 'node:https' : 'node:http');
}

function exchange(http, target, options) {
  return new Promise((resolve, reject) => {
    const request = http.get(target, {agent: false, ...options}, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const first = Object.fromEntries(
          Object.entries(response.headersDistinct).map(([name, values]) => [name, values[0]]),
        );
        resolve({status: response.statusCode, headers: first, body: Buffer.concat(chunks).toString()});
      });
    });
    request.on('error', reject);
  });
}

async function tunnel(proxy, address, auth, signal) {
  const http = await module('http:');
  const path = `${address.hostname}:${address.port || 443}`;
  return new Promise((resolve, reject) => {
    const request = http.request({...endpoint(proxy), method: 'CONNECT', path, headers: auth, agent: false, signal});
    request.on('connect', (response, socket) => {
      if (response.statusCode === 200) resolve(socket);
      else reject(new Error(`proxy answered ${response.statusCode}`));
    });
    request.on('error', reject);
    request.end();
  });
}

const endpoint = (proxy) => ({host: proxy.hostname, port: proxy.port || 80});

function proxyAuthorization({username, password}) {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}`};
}

function proxyFor({protocol, hostname}) {
  const {env} = process;
  const specific = protocol === 'https:' ? (env.HTTPS_PROXY ?? env.https_proxy) : (env.HTTP_PROXY ?? env.http_proxy);
  const value = specific || env.ALL_PROXY || env.all_proxy;
  if (!value || isExempt(hostname, env.NO_PROXY ?? env.no_proxy ?? '')) return null;
  try {
    return new URL(value.includes('://') ? value : `http://${value}`);
  } catch {
    return null;
  }
}

function isExempt(hostname, list) {
  const entries = list
    .split(',')
    .map((entry) => entry.trim().replace(/^\./, ''))
    .filter(Boolean);
  return entries.some((entry) => entry === '*' || hostname === entry || hostname.endsWith(`.${entry}`));
}
