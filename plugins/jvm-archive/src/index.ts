/**
 * Archives of a JVM's classes, for programs that nobody changes: learnt from a launch, made behind it by the program's own
 * JVM, used by the next ones.
 */
import {defineOptimization, definePlugin, minutes} from 'bootcut/plugin';
import {planArchive} from './plan-archive.js';
import {prepareArchive} from './prepare-archive.js';

export default definePlugin({
  name: 'jvm-archive',
  optimizations: [
    defineOptimization({
      name: 'classes',
      summary: 'starts a JVM with an archive of the classes that the program loads (CDS)',
      plan: planArchive,
      prepare: prepareArchive,
      limit: minutes(5),
    }),
  ],
});
