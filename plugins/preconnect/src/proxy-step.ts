import {action, type Launch} from 'bootcut/plugin';
import {proxyPort} from './proxy.js';
import {preconnectSettings} from './settings.js';

/** Any of these is the user's own proxy, and stays. */
const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

const address = 'http://127.0.0.1:{port}';

/** Tells targets of a proxy through which they get the connections that are held. */
export const proxy = action({
  name: 'proxy',
  neededBy: 'first-use',
  trigger: {port: {HTTPS_PROXY: address, https_proxy: address}},
  when: (launch: Launch) => {
    const {hosts, proxy: isWanted} = preconnectSettings(launch);
    return isWanted && hosts.length > 0 && proxyVariables.every((name) => (launch.env[name] ?? '') === '');
  },
  act: async () => ({port: await proxyPort()}),
});
