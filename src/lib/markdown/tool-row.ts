import { cleanTitle } from '../citations';
import { escapeMarkdown } from '../code';
import { ATTACHED_FILE, SERVER_SEARCH } from '../constants';
import type { ToolCallRecord } from '../types';

const VERBS = new Map([
  ['web_search', 'Searched for'],
  ['web_fetch', 'Read'],
  ['search_documents', 'Searched documents for'],
  ['read_document', 'Read'],
]);

/** How the results of failed calls begin and end (`lib/tools`): the row says so much already, or it is for the model. */
const FAILURE_LEAD =
  /^(?:The (?:\w+ search|search of the documents) for ".*" failed:|.* could not be read \([\w-]+\):|.* was not read:|\w+ was not run\.) /;
const FAILURE_END =
  /\.?(?: Tell the person that the search failed\.| It keeps the number \[\d+\], but was not opened: cite only what was shown of it\.)?$/;

/** How the loop answers a call that it does not run (`lib/agent`), and what a person is told instead. */
const NOT_RUN: readonly (readonly [answer: RegExp, said: string])[] = [
  [/^You already did this in this turn:.*/, 'not run again: the same as above'],
  [
    /^\w+ was not run again: (it failed \d+ times|the page could not be read before),.*/,
    'not run again: $1',
  ],
  [/^\w+ was not run: (at most \d+ calls are run at once)\..*/, 'not run: $1'],
  [/^\w+ is not available\..*/, 'not available'],
  [/^\w+ was stopped before it finished\.$/, 'stopped'],
];

/** How the result of a search goes on after its query, and when it found nothing. */
const SEARCH_END = /(?::|(\. The search worked and found nothing)\b.*)$/;

/** Wide enough that the answer below, indented by up to three spaces, is no part of the row. */
const ROW = '-   ';

/** One call as a list item that says what was asked for and what became of it. Total. */
export function toolCallRow(record: ToolCallRecord): string {
  const { name, arguments: args, result, isError, sources = [] } = record;
  if (name === SERVER_SEARCH)
    return `${ROW}Named by the model server: ${sources.length} ${sources.length === 1 ? 'page' : 'pages'}`;
  if (name === ATTACHED_FILE) return attachedRow(record);
  const verb = VERBS.get(name);
  if (verb === undefined && isError)
    return `${ROW}${escapeMarkdown(`Asked for an unknown tool: ${cleanTitle(name)}`)}`;
  const value = args['query'] ?? args['url'] ?? args['path'];
  const given = Object.keys(args).length === 0 ? '(nothing)' : JSON.stringify(args);
  const what = cleanTitle(typeof value === 'string' ? value : given);
  const end = isError ? failedEnd(result) : doneEnd(record);
  return `${ROW}${escapeMarkdown(`${verb ?? cleanTitle(name)}: ${what}${end}`)}`;
}

/** A file that came with the question; a failed one says why. */
function attachedRow({ arguments: { name }, result, isError }: ToolCallRecord): string {
  const what = cleanTitle(typeof name === 'string' ? name : 'a file');
  return `${ROW}${escapeMarkdown(`Attached: ${what}${isError ? failedEnd(result) : ''}`)}`;
}

/** What became of a call that did not do what was asked. */
function failedEnd(result: string): string {
  const [said = ''] = result.split('\n', 1);
  const answer = NOT_RUN.find(([pattern]) => pattern.test(said));
  if (answer !== undefined) return ` (${said.replace(answer[0], answer[1])})`;
  const reason = cleanTitle(said.replace(FAILURE_LEAD, '').replace(FAILURE_END, ''), 200);
  return ` (failed${reason === '' ? '' : `: ${reason}`})`;
}

/** Where reading of a document may begin, and what that is for a person. The first one given counts (`read_document`). */
const BEGINNINGS = [
  ['page', 'page'],
  ['block', 'paragraph'],
  ['offset', 'character'],
] as const;

/** What tells a call from another one with the same words: what a search was narrowed to, where reading went on. */
function doneEnd({ name, arguments: args, result }: ToolCallRecord): string {
  const { query } = args;
  if (name === 'web_fetch' || name === 'read_document') {
    const begun = BEGINNINGS.find(([argument]) => Number(args[argument]) > 0);
    return begun === undefined ? '' : ` from ${begun[1]} ${String(Number(args[begun[0]]))}`;
  }
  if (!/^(?:web_search|search_documents)$/.test(name) || typeof query !== 'string') return '';
  const [said = ''] = result.split('\n', 1);
  const [, rest = ''] = said.split(`results for "${query}"`);
  const nothing = SEARCH_END.exec(rest)?.[1] !== undefined;
  return `${cleanTitle(rest.replace(SEARCH_END, ''), 300).replace(/^(?=\S)/, ' ')}${nothing ? ' (nothing found)' : ''}`;
}
