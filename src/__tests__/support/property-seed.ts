import fc from 'fast-check';

// In CI every run tries the same documents, so that a red run means the change did it. Elsewhere each run tries new ones.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 20_261_130 });
