import fc from 'fast-check';

/**
 * Every run tries the same documents, so that a red run means the change did it. `PROPERTY_SEED=$RANDOM npm test` tries
 * new ones; a failure prints its seed.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_130) });
