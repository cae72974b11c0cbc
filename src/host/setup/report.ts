import type { Preferences } from '../preferences';
import { cleanText, secretsOf, shownAddress } from './secrets';
import { STEP_TITLES, type SetupStep } from './steps';

/** What the report says beside the steps. */
export interface SetupFacts {
  /** Versions of Lam, Vicinae and Node; '' = unknown. */
  lam: string;
  vicinae: string;
  node: string;
  preferences: Preferences;
  /** Sentences about settings that could not be used. */
  problems: readonly string[];
}

/** As it is, as an address without what may be secret, or only whether it is set. */
type Way = 'value' | 'address' | 'set';

/** How each preference is shown. */
const SHOWN: Record<keyof Preferences, Way> = {
  modelServer: 'value',
  address: 'address',
  apiKey: 'set',
  model: 'value',
  searchProvider: 'value',
  searxngUrl: 'address',
  braveKey: 'set',
  tavilyKey: 'set',
  exaKey: 'set',
  ollamaKey: 'set',
  searchLanguage: 'value',
  // A path holds the name of the person.
  documents: 'set',
  embeddingModel: 'value',
  // What a person wrote about themselves is nobody's business who reads the report.
  extraInstructions: 'set',
  place: 'set',
  showToolCalls: 'value',
  showReasoning: 'value',
  remoteImages: 'value',
  evidenceLine: 'value',
  titles: 'value',
  continueWithin: 'value',
  quoteSelection: 'value',
  webTools: 'value',
};

const STATE_WORDS: Record<SetupStep['state'], string> = {
  waiting: 'not yet',
  running: 'running',
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  skipped: 'left out',
};

/**
 * The check as Markdown for an issue or a mail: versions, the steps, the preferences. Keys are only "set" or "not set", addresses
 * come without user name, password and query, and no secret of the preferences is left in any other text, whoever put it there.
 */
export function setupReport(steps: readonly SetupStep[], facts: SetupFacts): string {
  const secrets = secretsOf(facts.preferences);
  const versions = [
    `Lam ${known(facts.lam)}`,
    `Vicinae ${known(facts.vicinae)}`,
    `Node ${known(facts.node)}`,
  ];
  const ways = new Map<string, Way>(Object.entries(SHOWN));
  const values: Record<string, string | boolean> = { ...facts.preferences };
  const preferences = Object.entries(values).map(
    ([name, value]) => `- ${name}: ${shown(value, ways.get(name) ?? 'set', secrets)}`,
  );
  const lines = [
    '## Lam: Check Setup',
    '',
    versions.join(', '),
    '',
    ...steps.map((step) => row(step, secrets)),
    ...facts.problems.map((problem) => `- Problem: ${cleanText(problem, secrets)}`),
    '',
    'Preferences:',
    '',
    ...preferences,
    '',
  ];
  return lines.join('\n');
}

function row({ id, state, ms, said, advice }: SetupStep, secrets: readonly string[]): string {
  const time = ms === undefined ? '' : ` (${(ms / 1000).toFixed(1)} s)`;
  const words = [said, advice ?? ''].filter((text) => text !== '').join(' ');
  const told = words === '' ? '' : `. ${inert(cleanText(words, secrets))}`;
  return `- ${STEP_TITLES[id]}: ${STATE_WORDS[state]}${time}${told}`;
}

/** What a page or a model wrote must not become a picture, a tag or a person who is called in the issue. */
function inert(text: string): string {
  return text
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('![', '! [')
    .replaceAll('@', '@\u200B');
}

function shown(value: string | boolean, way: Way, secrets: readonly string[]): string {
  if (way === 'set') return value === '' ? 'not set' : 'set';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === '') return 'not set';
  return inert(cleanText(way === 'address' ? shownAddress(value) : value, secrets));
}

function known(version: string): string {
  return version === '' ? 'unknown' : inert(cleanText(version, []));
}
