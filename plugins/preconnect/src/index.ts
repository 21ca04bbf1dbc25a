/**
 * Connects ahead to hosts that the user or a plugin has named: names are looked up, connections made and certificates checked while the
 * program that will want them starts.
 */
import {definePlugin} from 'bootcut/plugin';
import {connections} from './connections.js';
import {proxy} from './proxy-step.js';

export default definePlugin({name: 'preconnect', steps: [proxy], optimizations: [connections]});
