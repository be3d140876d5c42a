import { defineConfig } from 'vitest/config';

/** Tests that wait more than they work: for beats, leases, pauses and processes. Five at once keep two cores busy. */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 1 } };

/** A second, as it is by default, is the beat of some of the work that is waited for. Projects do not inherit it. */
const patient = { expect: { poll: { timeout: 15_000 } } };

const contract = {
  include: ['test/contract/**/*.test.ts'],
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  ...waiting,
  ...patient,
};

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    // Two cores take two files, even where one is kept free by default.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/client/*.test.ts', 'web/**/*.test.ts'],
          exclude: ['src/store/embedded*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
          ...patient,
        },
      },
      {
        test: {
          name: 'contract on the embedded PostgreSQL',
          ...contract,
          globalSetup: 'test/postgres/embedded.ts',
        },
      },
      {
        test: {
          name: 'contract on Debian’s PostgreSQL',
          ...contract,
          globalSetup: 'test/postgres/debian.ts',
        },
      },
      {
        test: {
          name: 'embedded PostgreSQL',
          include: ['src/store/embedded*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...waiting,
          ...patient,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          isolate: false,
          // A page takes most of a core while it loads; more of them at once would only all be later.
          maxConcurrency: 3,
          globalSetup: 'test/postgres/embedded.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
          ...patient,
        },
      },
      {
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...waiting,
          ...patient,
        },
      },
    ],
  },
});
