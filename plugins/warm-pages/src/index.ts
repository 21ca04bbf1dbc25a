/**
 * Reads ahead what a program reads at its start, from what was seen of an earlier launch: where the page cache is cold, the
 * disk works while the program starts instead of whenever it comes upon the next missing page.
 */
import {definePlugin} from 'bootcut/plugin';
import {pages} from './pages.js';

export default definePlugin({name: 'warm-pages', optimizations: [pages]});
