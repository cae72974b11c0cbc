import type { Folder } from '../../host/documents/folders';
import type {
  Changes,
  DocumentFile,
  DocumentState,
  DocumentsStatus,
} from '../../host/documents/status';
import { escapeMarkdown } from '../../lib/code';
import { inertText, plain, type PlainText } from '../../lib/render';
import { number, sizeOf, type FolderCount } from './rows';
import { KINDS } from './words';

/** UTF-16 units of a path that is shown beside its row. */
const MAX_PATH = 2_000;

const STATES: Record<DocumentState, string> = {
  indexed: 'Read',
  pending: 'Still to be read',
  skipped: 'Left out',
  failed: 'Could not be read',
};

/** `2,000 files`, or `12 of 2,000 files` as long as some are still to be read. */
function filesOf({ read, all }: FolderCount): PlainText {
  const files = plain`${number(all)} file${all === 1 ? '' : 's'}`;
  return read === all ? files : plain`${number(read)} of ${files}`;
}

/** What stands at the end of a row, and all of it where that is cut short. */
export interface Fact {
  text: PlainText;
  tooltip?: PlainText;
}

/** What else is known of a folder than what it is. */
export interface FolderFacts {
  count: FolderCount | undefined;
  /** One sentence: not everything in it could be looked at. */
  note?: string | undefined;
  /** Something stands at its path. */
  isThere: boolean;
}

/**
 * What stands at the end of a folder's row. The name has about 22 characters beside it, and few when the list is narrow.
 *
 * @param isDetailed the rest stands beside the list
 */
export function folderFact(
  { problem, fixed }: Folder,
  { count, note, isThere }: FolderFacts,
  isDetailed: boolean,
): Fact {
  if (problem !== undefined)
    return {
      text: isThere ? plain`cannot be used` : plain`not there`,
      tooltip: inertText(problem, MAX_PATH),
    };
  const facts = [
    fixed && !isDetailed ? 'from the preferences' : '',
    note === undefined ? '' : 'not all of it',
    count === undefined ? '' : filesOf(count),
  ];
  return {
    text: plain`${facts.filter((fact) => fact !== '').join(' · ')}`,
    ...(note === undefined ? {} : { tooltip: inertText(note, MAX_PATH) }),
  };
}

/**
 * What stands at the end of a file's row.
 *
 * @param isDetailed the reason stands beside the list, whose rows are narrow then
 */
export function fileFact({ state, reason, pages, size }: DocumentFile, isDetailed: boolean): Fact {
  if (state === 'pending') return { text: plain`waiting` };
  const why = reason === undefined ? {} : { tooltip: inertText(reason, MAX_PATH) };
  if (state !== 'indexed')
    return { text: isDetailed ? plain`` : shortReason(reason ?? ''), ...why };
  // The end of what a person looks for may be missing.
  if (reason !== undefined) return { text: plain`not all of it`, ...why };
  if (pages !== undefined) return { text: pagesOf(pages) };
  return { text: size === undefined ? plain`` : sizeOf(size) };
}

const pagesOf = (pages: number): PlainText => plain`${number(pages)} page${pages === 1 ? '' : 's'}`;

/** UTF-16 units of a reason in a row. */
const MAX_REASON = 40;

/**
 * The words of a reason that tell it from others: `It is a link, which Lam does not follow.` is `a link`. Reasons are sentences
 * about one file, and what follows the first clause says what to do or how it comes.
 */
function shortReason(reason: string): PlainText {
  const told = reason.replace(
    /^(?:It|The PDF file(?: \([^)]*\))?) (?:is |could not be read: )?/u,
    '',
  );
  const [clause = ''] = told.split(/[,;:]| that | and could |\.$/u, 1);
  return inertText(clause === '' ? reason : clause, MAX_REASON);
}

/** A file, for whoever wants to know all of it. */
export function fileMarkdown({ path, state, reason, size, pages, blocks }: DocumentFile): string {
  const facts = [
    size === undefined ? '' : sizeOf(size),
    pages === undefined ? '' : pagesOf(pages),
    blocks === undefined ? '' : plain`${number(blocks)} passage${blocks === 1 ? '' : 's'}`,
  ].filter((fact) => fact !== '');
  return paragraphs([
    `**${STATES[state]}**`,
    reason === undefined ? '' : oneLine(reason),
    facts.join(' · '),
    oneLine(path),
  ]);
}

/** A folder, and where what is not to be done here is done. */
export function folderMarkdown(
  { path, problem, fixed }: Folder,
  { count, note }: FolderFacts,
): string {
  const said = problem ?? note;
  return paragraphs([
    said === undefined ? '' : `**${oneLine(said)}**`,
    count === undefined ? '' : countSentence(count, problem !== undefined),
    oneLine(path),
    problem === undefined
      ? `Lam reads ${KINDS}. Hidden files, and what a .gitignore leaves out, are not read.`
      : '',
    fixed
      ? 'This folder is set in the preferences of Lam (Documents Folder): choose another one there, or none.'
      : 'Files stay where they are. Removing the folder deletes what Lam has kept of them; earlier answers keep their passages.',
  ]);
}

function countSentence(count: FolderCount, isAway: boolean): string {
  if (!isAway && count.all === 0) return 'Nothing in it can be read.';
  if (!isAway) return `${filesOf(count)} ${count.read < count.all ? 'are read' : 'can be found'}.`;
  if (count.all === 0) return '';
  return `What was read of it before is still found, but cannot be opened: ${filesOf(count)}.`;
}

const oneLine = (text: string): string => escapeMarkdown(inertText(text, MAX_PATH));
const paragraphs = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

/**
 * What is going on, for the title of the window.
 *
 * @param isLooking somebody asked for another look
 */
export function titleOf(status: DocumentsStatus | undefined, isLooking = false): PlainText {
  const { state = 'idle', progress } = status ?? {};
  if (state === 'indexing' && progress !== undefined) {
    const { what, done, total } = progress;
    const [work, unit] =
      what === 'reading' ? ['reading', 'files'] : ['comparing by meaning', 'passages'];
    return plain`Documents: ${work} ${number(done)} of ${number(total)} ${unit}…`;
  }
  if (isLooking) return plain`Documents: looking for changes…`;
  return state === 'indexing' ? plain`Documents: looking for files…` : plain`Documents`;
}

/** How a look ended. */
export function changesTitle(changes: Changes | undefined): PlainText {
  if (changes === undefined) return plain`Looked through`;
  const { added, changed, gone } = changes;
  const parts = [
    added === 0 ? '' : plain`${number(added)} new`,
    changed === 0 ? '' : plain`${number(changed)} changed`,
    gone === 0 ? '' : plain`${number(gone)} gone`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? plain`Nothing has changed` : plain`${parts.join(', ')}`;
}
