import type {PortTrigger} from '../model/first-use.js';

/** `port 8443`, or `the port in HTTPS_PROXY`. */
export const portText = (port: PortTrigger['port']): string => {
  if (typeof port === 'number') return `port ${port}`;
  return `the port in ${typeof port === 'string' ? port : Object.keys(port).join(', ')}`;
};
