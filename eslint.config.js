// CommonJS like the rest of the package: Node looks into every .js file of a package without a type, the built commands
// included, and that search is a sixth of their load time.
const { readdirSync } = require('node:fs');

const js = require('@eslint/js');
const { defineConfig } = require('eslint/config');
const { createNodeResolver, importX } = require('eslint-plugin-import-x');
const reactHooks = require('eslint-plugin-react-hooks');
const regexp = require('eslint-plugin-regexp');
const tseslint = require('typescript-eslint');

const plainText = require('./.ci/plain-text-rule.cjs');

/** The dependency diagram: a room may import itself and the rooms in `may`. docs/architecture.md draws the same table. */
const rooms = {
  ground: { paths: ['lib/types', 'lib/constants', 'lib/schemas'], may: [] },
  thread: { paths: ['lib/thread'], may: ['ground'] },
  words: { paths: ['lib/words'], may: [] },
  blocks: { paths: ['lib/blocks'], may: ['ground', 'words'] },
  evidence: {
    paths: ['lib/evidence'],
    may: ['ground', 'words', 'blocks', 'citations', 'text'],
  },
  citations: { paths: ['lib/citations'], may: ['ground', 'text'] },
  tools: { paths: ['lib/tools'], may: ['ground', 'blocks', 'citations'] },
  agent: { paths: ['lib/agent'], may: ['ground', 'citations', 'evidence', 'tools'] },
  text: { paths: ['lib/code', 'lib/html', 'lib/maths'], may: ['ground'] },
  render: { paths: ['lib/render'], may: ['ground', 'citations', 'text'] },
  transcript: {
    paths: ['lib/markdown'],
    may: ['ground', 'citations', 'evidence', 'text', 'render'],
  },
  host: {
    paths: ['host'],
    may: [
      'ground',
      'thread',
      'words',
      'blocks',
      'evidence',
      'citations',
      'tools',
      'agent',
      'text',
      'render',
      'transcript',
    ],
  },
  views: {
    paths: ['views'],
    may: [
      'ground',
      'thread',
      'evidence',
      'citations',
      'tools',
      'agent',
      'text',
      'render',
      'transcript',
      'host',
    ],
  },
  bundles: { paths: ['bundles'], may: ['ground', 'agent', 'host'] },
};

/** `import { z } from 'zod'` puts 444 KB into the bundle, `zod/mini` 34 KB. */
const wholeZod = { name: 'zod', message: "Import * as z from 'zod/mini'." };

const housed = new Set(Object.values(rooms).flatMap((room) => room.paths));
for (const entry of readdirSync('src/lib')) {
  const path = `lib/${entry.replace(/\.ts$/, '')}`;
  if (!housed.has(path))
    throw new Error(`src/${path} belongs to no room: add it to the table in eslint.config.js.`);
}

// `lib/agent` names both the door `lib/agent.ts` and the folder behind it. Strangers use the door.
const whole = ({ paths }) => paths.map((path) => `src/${path}{.ts,/**/*}`);
const behindDoor = ({ paths }) =>
  paths.filter((path) => path.startsWith('lib/')).map((path) => `src/${path}/**/*`);
const zones = Object.entries(rooms).map(([name, room]) => ({
  target: whole(room),
  from: Object.keys(rooms)
    .filter((other) => other !== name)
    .flatMap((other) => (room.may.includes(other) ? behindDoor : whole)(rooms[other])),
  message: `${name} may import only the doors of: ${room.may.join(', ') || 'nothing'}; see the table in eslint.config.js.`,
}));

// What a search or a fetch needs is in assets/web.js, out of the bundle that every launch loads.
zones.push({
  target: [
    'src/host/*.ts',
    'src/host/!(web|documents)/**/*',
    'src/host/documents/{documents,folders,status}.ts',
    'src/views/**/*',
  ],
  from: 'src/host/web/**/*',
  except: ['**/lazy-web.ts'],
  message:
    'Search and page reading are loaded when they are needed: go through host/web/lazy-web.ts.',
});

// So are the model servers, in assets/providers.js. An address is read without them.
zones.push({
  target: ['src/host/*.ts', 'src/host/!(providers|setup)/**/*', 'src/views/**/*'],
  from: 'src/host/providers/**/*',
  except: ['**/lazy-server.ts', '**/base-url.ts'],
  message:
    'The model servers are loaded when they are needed: go through host/providers/lazy-server.ts.',
});

// And what checks them, in the same file. What is told before is words only.
zones.push({
  target: ['src/host/*.ts', 'src/host/!(setup)/**/*', 'src/views/**/*'],
  from: 'src/host/setup/**/*',
  except: ['**/lazy-setup.ts', '**/first-run.ts', '**/steps.ts'],
  message: 'The check is loaded when it is asked for: go through host/setup/lazy-setup.ts.',
});

// Nor is the search of conversations, which runs in its own thread.
zones.push({
  target: ['src/host/*.ts', 'src/host/!(library)/**/*', 'src/views/**/*'],
  from: 'src/host/library/**/*',
  except: ['**/library.ts'],
  message: 'The search runs in its own thread: go through host/library/library.ts.',
});

// Nor is the reading and the search of the person's documents, in a thread of its own too. Folders are a short list.
zones.push({
  target: ['src/host/*.ts', 'src/host/!(documents)/**/*', 'src/views/**/*'],
  from: 'src/host/documents/**/*',
  except: ['**/documents.ts', '**/folders.ts', '**/status.ts'],
  message: 'Documents are read in a thread of their own: go through host/documents/documents.ts.',
});

// And what is said about the evidence of an answer, which is made when somebody asks for it.
zones.push({
  target: ['src/host/*.ts', 'src/host/!(evidence)/**/*', 'src/views/**/*'],
  from: 'src/host/evidence/**/*',
  except: ['**/lazy-evidence.ts', '**/changed.ts'],
  message: 'The report is loaded when it is asked for: go through host/evidence/lazy-evidence.ts.',
});

module.exports = defineConfig(
  { ignores: ['dist/', 'coverage/', 'assets/', '**/*.d.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  regexp.configs['flat/recommended'], // includes no-super-linear-backtracking: model output reaches these patterns
  importX.flatConfigs.typescript, // without its parser settings, no-cycle passes silently on .ts files
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] } },
    },
    plugins: { 'import-x': importX, 'react-hooks': reactHooks },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx'] })] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': 'error',
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'no-restricted-imports': ['error', { paths: [wholeZod] }],
    },
  },
  {
    // The pure core. Effects arrive as arguments.
    files: ['src/lib/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [wholeZod],
          patterns: [
            {
              regex: '^(@vicinae/|react(/|$)|node:)',
              message: 'src/lib is pure: put the effect in src/host and pass it in.',
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        'fetch',
        'process',
        'console',
        'crypto',
        'performance',
        'setTimeout',
        'setInterval',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Take the time as an argument.',
        },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Views draw; storage, preferences and the clipboard are the host's.
    files: ['src/views/**', 'src/*.tsx'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            wholeZod,
            {
              name: '@vicinae/api',
              importNames: ['LocalStorage', 'Cache', 'Clipboard', 'getPreferenceValues'],
              message: 'Go through src/host.',
            },
          ],
        },
      ],
    },
  },
  {
    // What the launcher draws as a label is ours or made inert; its own types say `string`.
    files: ['src/views/**', 'src/host/**', 'src/*.tsx'],
    plugins: { lam: { rules: { 'plain-text': plainText } } },
    rules: { 'lam/plain-text': 'error' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@typescript-eslint/no-require-imports': 'off' }, // eslint.config.js is CommonJS
    languageOptions: {
      parserOptions: { projectService: false },
      globals: {
        process: 'readonly',
        console: 'readonly',
        require: 'readonly',
        module: 'writable',
      },
    },
  },
);
