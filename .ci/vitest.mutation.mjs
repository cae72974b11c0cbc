import { defineConfig } from 'vitest/config';

/**
 * The tests that .ci/stryker.json runs against each mutant of the citations: those that take a few
 * milliseconds each. Generated documents and megabytes for each of a thousand mutants would take a day.
 */
export default defineConfig({
  test: {
    environment: 'node',
    include: [
      'src/__tests__/citations.test.ts',
      'src/__tests__/citations.edges.test.ts',
      'src/__tests__/contract.test.ts',
      'src/__tests__/agent.history.test.ts',
      'src/__tests__/markdown.test.ts',
    ],
    setupFiles: ['src/__tests__/support/property-seed.ts'],
    restoreMocks: true,
    // Loading the modules again for every test file would be two thirds of the time.
    isolate: false,
  },
});
