import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The real @vicinae/api reads this at import; without it every test file that reaches the API fails to load.
Object.assign(globalThis, {
  vicinae: {
    environ: {
      supportPath: join(tmpdir(), 'lam-tests'),
      assetsPath: join(process.cwd(), 'assets'),
      extensionName: 'lam',
      commandName: 'chat',
      commandMode: 'view',
      launchType: 'userInitiated',
      isDevelopment: false,
      appearance: 'dark',
    },
    preferences: {},
  },
});
