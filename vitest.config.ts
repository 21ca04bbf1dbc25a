import {defineConfig} from 'vitest/config';

const resolve = {conditions: ['bootcut-source', 'node', 'import', 'default']};
const ssr = {resolve};

/**
 * Tests start real processes beside each other on two shared cores, and some of what they start keeps real limits (50 ms
 * of a silent daemon, 3 s of gh). A test that fails for want of a processor gets another turn; a broken one fails thrice.
 */
const retry = 2;

export default defineConfig({
  test: {
    disableConsoleIntercept: true,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/types/**/*.test.ts'],
          testTimeout: 30_000,
          retry,
          maxWorkers: 3,
          disableConsoleIntercept: true,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          retry,
          hookTimeout: 60_000,
          maxWorkers: 3,
          disableConsoleIntercept: true,
        },
      },
    ],
  },
});
