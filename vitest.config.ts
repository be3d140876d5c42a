import { defineConfig } from 'vitest/config';

const contract = {
  include: ['test/contract/**/*.test.ts'],
  isolate: false,
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    // Services wait more than they work, so that two cores take two files even where one is kept free by default.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['src/store/embedded.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'contract on the embedded PostgreSQL',
          ...contract,
          globalSetup: 'test/postgres/embedded.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'contract on Debian’s PostgreSQL',
          ...contract,
          globalSetup: 'test/postgres/debian.ts',
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'embedded PostgreSQL',
          include: ['src/store/embedded.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // A browser beside a service takes both cores: what people wait for in one would be late in the other.
          fileParallelism: false,
          globalSetup: 'test/postgres/embedded.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
