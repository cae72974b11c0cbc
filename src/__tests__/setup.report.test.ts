import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readPreferences, type Preferences } from '../host/preferences';
import { setupReport, type SetupFacts } from '../host/setup/report';
import { KEY_FIELDS, shownAddress } from '../host/setup/secrets';
import { STEP_IDS, type SetupStep } from '../host/setup/steps';

const NOTHING = readPreferences({}).preferences;

const facts = (
  preferences: Partial<Preferences> = {},
  more: Partial<SetupFacts> = {},
): SetupFacts => ({
  lam: '1.2.3',
  vicinae: 'v0.26.3',
  node: '22.23.1',
  preferences: { ...NOTHING, ...preferences },
  problems: [],
  ...more,
});

const STEPS: SetupStep[] = [
  { id: 'server', state: 'ok', said: 'Ollama at http://127.0.0.1:11434 answers.', ms: 240 },
  { id: 'model', state: 'warning', said: 'It is not listed.', advice: 'Get it.', ms: 0 },
  { id: 'answer', state: 'failed', said: 'It failed.', ms: 1_260 },
  { id: 'tools', state: 'skipped', said: 'Needs a model that answers.' },
  { id: 'search', state: 'running', said: '' },
  { id: 'fetch', state: 'waiting', said: '' },
];

describe('the report', () => {
  it('is complete', () => {
    expect(setupReport(STEPS, facts({ place: 'Bremen', apiKey: 'secret-1' })))
      .toBe(`## Lam: Check Setup

Lam 1.2.3, Vicinae v0.26.3, Node 22.23.1

- Model server: ok (0.2 s). Ollama at http://127.0.0.1:11434 answers.
- Model: warning (0.0 s). It is not listed. Get it.
- Answer: FAILED (1.3 s). It failed.
- Tool calls: left out. Needs a model that answers.
- Search: running
- Reading a page: not yet

Preferences:

- modelServer: ollama
- address: not set
- apiKey: set
- model: not set
- searchProvider: auto
- searxngUrl: not set
- braveKey: not set
- tavilyKey: not set
- exaKey: not set
- ollamaKey: not set
- searchLanguage: not set
- documents: not set
- embeddingModel: not set
- extraInstructions: not set
- place: set
- showToolCalls: no
- showReasoning: no
- remoteImages: no
- evidenceLine: problems
- titles: auto
- continueWithin: 30
- quoteSelection: no
- webTools: yes
`);
  });

  it('names every preference once', () => {
    const told = setupReport([], facts());
    for (const name of Object.keys(NOTHING))
      expect(told.split('\n').filter((line) => line.startsWith(`- ${name}: `))).toHaveLength(1);
  });

  it('says what is not known, and which settings could not be used', () => {
    const problems = ['The preference "Model" holds a value Lam cannot use.'];
    const told = setupReport([], facts({}, { vicinae: '', problems }));
    expect(told).toContain('Vicinae unknown');
    expect(told).toContain('- Problem: The preference "Model" holds');
  });

  it('does not show what a person wrote about themselves', () => {
    const told = setupReport([], facts({ place: 'Bremen', extraInstructions: 'Call me Ada.' }));
    expect(told).not.toMatch(/Bremen|Ada/);
  });

  it('a preference of a later version is only set or not set', () => {
    const later = { ...NOTHING, newKey: 'secret-of-tomorrow' };
    expect(setupReport([], facts(later))).toContain('- newKey: set\n');
  });

  it('foreign words act on nothing where it is pasted', () => {
    const said = '![x](https://p.example/a.png) <img src=x> @ada\n# Heading';
    const told = setupReport([{ id: 'answer', state: 'ok', said }], facts());
    expect(told).not.toMatch(/!\[|<img|@ada|\n# /);
  });
});

describe('addresses', () => {
  it.each([
    ['', ''],
    ['http://127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1'],
    ['127.0.0.1:11434', 'http://127.0.0.1:11434/'],
    ['https://ada:pa55word@llm.example/v1?key=k#f', 'https://llm.example/v1'],
    ['sk-live 1234567', 'set, but not a web address'],
    ['ftp://files.example', 'set, but not a web address'],
  ])('%j is shown as %j', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  it.each(['address', 'searxngUrl'] as const)(
    'a password in %s is nowhere, however it is spelled',
    (field) => {
      const preferences = { [field]: 'https://ada:p%40ss-word@host.example/x?token=t0k3n' };
      const basic = Buffer.from('ada:p@ss-word').toString('base64');
      const said = `p@ss-word, p%40ss-word, Basic ${basic}`;
      const told = setupReport([{ id: 'search', state: 'failed', said }], facts(preferences));
      expect(told).not.toMatch(/p@ss-word|p%40ss|t0k3n/);
      expect(told).not.toContain(basic);
    },
  );
});

/** Keys as services make them, and odder ones; a key of five characters or fewer is a stand-in such as "none". */
const key = fc
  .oneof(
    fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 60 }),
    fc.string({
      minLength: 6,
      maxLength: 60,
      unit: fc.constantFrom(...Array.from('abcdef0123456789-_')),
    }),
    fc.stringMatching(/^Bearer [A-Za-z0-9]{8,20}$/),
  )
  .map((text) => text.trim())
  .filter((text) => text.length >= 6);

/** Ways in which a server repeats what it was sent. */
const ECHOES: ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `Incorrect API key provided: ${secret}.`,
  (secret) => `"${secret}"`,
  (secret) => `GET /search?key=${encodeURIComponent(secret)} failed`,
  (secret) => `x${secret}x`,
  (secret) => `${'long '.repeat(200)}${secret}`,
];

describe('no key is in it', () => {
  it.each(KEY_FIELDS)('%s, wherever a server puts it', (field) => {
    fc.assert(
      fc.property(
        key,
        fc.constantFrom(...ECHOES),
        fc.constantFrom(...STEP_IDS),
        fc.boolean(),
        (secret, echo, id, isAdvice) => {
          const { preferences } = readPreferences({ [field]: secret });
          // A "key" that is a piece of the report's own words hides nothing.
          fc.pre(!setupReport(STEPS, facts()).includes(secret));
          fc.pre(!'[removed]'.includes(secret));
          const text = echo(secret);
          const steps = STEPS.map((step) =>
            step.id === id ? { ...step, ...(isAdvice ? { advice: text } : { said: text }) } : step,
          );
          const told = setupReport(steps, facts(preferences, { problems: [text], node: '22' }));
          expect(told).not.toContain(secret);
          expect(told).not.toContain(secret.replace(/^Bearer\s+/i, ''));
          expect(told).toContain(`- ${field}: set\n`);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('not in another field either', () => {
    const preferences = { apiKey: 'sesame-open-12', model: 'sesame-open-12' };
    expect(setupReport([], facts(preferences))).not.toContain('sesame-open');
  });

  it('nor one that is in no key field but looks like one', () => {
    const told = setupReport([], facts({ model: 'sk-proj-abcdef123456' }));
    expect(told).toContain('- model: [removed]');
  });
});
