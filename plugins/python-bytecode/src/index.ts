/**
 * Keeps the bytecode of Python packages that Python itself has no place for: those in directories that cannot be written to
 * and where nobody has compiled them. Does nothing anywhere else.
 */
import {defineOptimization, definePlugin} from 'bootcut/plugin';
import {makeBytecode} from './make-bytecode.js';
import {planBytecode} from './plan-bytecode.js';

export default definePlugin({
  name: 'python-bytecode',
  optimizations: [
    defineOptimization({
      name: 'packages',
      summary: 'keeps the bytecode of packages in directories that cannot be written to (PYTHONPYCACHEPREFIX)',
      plan: planBytecode,
      prepare: makeBytecode,
    }),
  ],
});
