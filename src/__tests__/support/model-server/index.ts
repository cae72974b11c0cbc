/**
 * A scripted model server for tests and the demo: a real HTTP server on 127.0.0.1 that answers chat requests step by
 * step, in the dialects of OpenAI and Anthropic (SSE) or in Ollama's (NDJSON).
 *
 *     const gate = createGate();
 *     const server = await startModelServer({
 *       dialect: 'openai',
 *       steps: [
 *         { calls: [{ name: 'web_search', arguments: { query: 'tides' } }] },
 *         { text: ['Tides follow ', gate, 'the moon [1].'], usage: { inputTokens: 9, outputTokens: 5 } },
 *         { raw: { status: 429, headers: { 'retry-after': '20' }, body: '{}' } },
 *       ],
 *     });
 *     // … set server.baseUrl as the address, ask …
 *     await gate.reached; // the first half has been written, the stream is held
 *     gate.open();
 *     server.assertComplete(); // every step used, no request without one
 *     await server.close();
 */
export { named } from './dialects';
export { createGate } from './gate';
export { ndjson, sse, words, type FixedStep, type RawStep, type Step } from './steps';
export { startModelServer, type ModelServer, type ModelServerOptions } from './server';
export { collect, merged, question } from './collect';
export { createManualTimers } from './manual-timers';
