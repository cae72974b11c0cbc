import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/__tests__/**/*.test.{ts,tsx}'],
    // Builds the extension once; the end-to-end tests run that bundle.
    globalSetup: ['src/__tests__/support/build.ts'],
    // Sets globalThis.vicinae, so that the real @vicinae/api imports in the test process.
    setupFiles: [
      'src/__tests__/support/vicinae-global.ts',
      'src/__tests__/support/property-seed.ts',
    ],
    restoreMocks: true,
    sequence: { shuffle: true },
    testTimeout: 60_000, // a guard against hanging, not a speed limit; property runs set their own
    hookTimeout: 60_000,
  },
});
