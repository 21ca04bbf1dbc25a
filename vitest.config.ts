import {defineConfig} from 'vitest/config';

const resolve = {conditions: ['bootcut-source', 'node', 'import', 'default']};
const ssr = {resolve};

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
          hookTimeout: 60_000,
          maxWorkers: 2,
          disableConsoleIntercept: true,
        },
      },
    ],
  },
});
