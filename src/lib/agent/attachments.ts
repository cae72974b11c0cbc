import { numberedSources, type SourceList } from '../citations';
import {
  ATTACHED_FILE,
  LARGEST_REQUEST_RESULT_CHARS,
  MAX_CARRIED,
  MAX_REQUEST_IMAGE_CHARS,
  MAX_REQUEST_IMAGES,
} from '../constants';
import { attachedName, attachedText, attachFile, type AttachedFile } from '../tools';
import type { ChatImage, Source, ToolCallRecord } from '../types';
import { fairShare } from './fit';
import type { LoopMessage } from './message';
import type { AgentOptions, HistoryTurn } from './options';
import type { Recorder } from './recorder';

/** What one question has beside its words. */
export interface Attached {
  /** What the model reads of each file. */
  files: string[];
  images: ChatImage[];
  /** A sentence each about what was attached and is not there. */
  notes: string[];
}

const isAttached = ({ name }: ToolCallRecord): boolean => name === ATTACHED_FILE;

/** The calls that were calls: what was attached is none. */
export function withoutAttached(calls: readonly ToolCallRecord[]): ToolCallRecord[] {
  return calls.filter((call) => !isAttached(call));
}

/** The address of an attached file in its record; '' = it had no number. */
const pathOf = ({ sources = [] }: ToolCallRecord): string => sources[0]?.url ?? '';

/**
 * The files and images of earlier turns. Files keep standing in their questions, and the list gets their sources whether or
 * not an answer cited them: the newest first, as many as a turn may carry and a request may hold, and each file once.
 * Numbers are given from the oldest on, so that the first file of a conversation stays `[1]`.
 *
 * @returns what belongs to each turn, and the sources in number order
 */
export function earlierAttachments(
  options: AgentOptions,
  list: SourceList,
): { turns: Attached[]; carried: Source[] } {
  const { history, attachments, resume } = options;
  const kept = newestFiles(
    history,
    new Set([
      ...(attachments?.files ?? []).map(({ path }) => path),
      ...(resume?.toolCalls ?? []).filter(isAttached).map(pathOf),
    ]),
  );
  const images = newestImages(options);
  const carried: Source[] = [];
  const turns = history.map((turn, n): Attached => {
    const records = turn.toolCalls.filter(isAttached);
    const gone = records.filter((record) => !kept.has(record));
    const files = records
      .filter((record) => kept.has(record))
      .map((record) => {
        const source = renumber(record, turn, list);
        if (source) carried.push(source);
        return attachedText(record, source?.index, options.ports.boundary);
      });
    const shown = images[n] ?? [];
    return {
      files,
      images: shown,
      notes: [...goneFiles(gone), ...unseenImages((turn.images?.length ?? 0) - shown.length)],
    };
  });
  return { turns, carried: carried.toSorted((a, b) => a.index - b.index) };
}

/** `taken`: paths of files that stand in the question itself. */
function newestFiles(history: readonly HistoryTurn[], taken: Set<string>): Set<ToolCallRecord> {
  const kept = new Set<ToolCallRecord>();
  let chars = 0;
  for (const record of history.flatMap((turn) => turn.toolCalls.filter(isAttached)).reverse()) {
    const path = pathOf(record);
    chars += record.result.length;
    if (kept.size >= MAX_CARRIED || chars > MAX_EARLIER_CHARS) break;
    if (path !== '' && taken.has(path)) continue;
    taken.add(path);
    kept.add(record);
  }
  return kept;
}

/** Room for the frames of as many files. */
const MAX_EARLIER_CHARS = LARGEST_REQUEST_RESULT_CHARS + MAX_CARRIED * 1_000;

function renumber(record: ToolCallRecord, turn: HistoryTurn, list: SourceList): Source | undefined {
  const [old] = record.sources ?? [];
  if (old?.kind !== 'document') return undefined;
  // What this turn has read of it already is the newer one.
  const isKnown = list.indexOf(old.url) > 0;
  const { index } = list.add(old.title, old.url, isKnown ? {} : old);
  const status = numberedSources(turn).find((source) => source.url === old.url)?.status;
  return { ...old, index, ...(status === undefined ? {} : { status }) };
}

/** Of the turns, newest first, those whose images fit all together beside those of the question. */
function newestImages({ history, attachments, about }: AgentOptions): ChatImage[][] {
  const own = attachments?.images ?? [];
  let room = about?.canSeeImages === false ? 0 : MAX_REQUEST_IMAGES - own.length;
  let chars = MAX_REQUEST_IMAGE_CHARS - sizeOf(own);
  return history
    .toReversed()
    .map(({ images = [] }) => {
      room -= images.length;
      chars -= sizeOf(images);
      return room < 0 || chars < 0 ? [] : [...images];
    })
    .reverse();
}

const sizeOf = (images: readonly ChatImage[]): number =>
  images.reduce((sum, { data }) => sum + data.length, 0);

function goneFiles(records: readonly ToolCallRecord[]): string[] {
  if (records.length === 0) return [];
  const names = records.map(attachedName);
  return [`(Attached here, and no longer shown: ${names.join(', ')}.)`];
}

function unseenImages(count: number): string[] {
  if (count <= 0) return [];
  const what = count === 1 ? 'an image' : `${count} images`;
  return [`(The person attached ${what} here, which you cannot see.)`];
}

/**
 * Takes what was attached to the question: each file gets its number and its record, in order, before the model is asked.
 * Files of a turn that is continued or asked again have theirs already.
 */
export function takeAttachments(
  { attachments, about, resume, ports }: AgentOptions,
  { emit, turn }: Recorder,
  list: SourceList,
): Attached {
  const before = (resume?.toolCalls ?? []).filter(isAttached);
  const known = new Set(before.map(pathOf));
  const files = (attachments?.files ?? [])
    .filter(({ path }) => !known.has(path))
    .map(withFolderIfNeeded);
  const share = fairShare(
    files.map(({ text }) => text.length),
    LARGEST_REQUEST_RESULT_CHARS,
  );
  const taken = files.map((file) => {
    const position = turn().toolCalls.length;
    emit({
      type: 'call-start',
      call: { name: ATTACHED_FILE, arguments: { name: file.name } },
      position,
    });
    const record = attachFile(file, share, list, ports.boundary);
    emit({ type: 'call-end', record, position });
    return record;
  });
  const images = attachments?.images ?? [];
  const blind = about?.canSeeImages === false;
  if (blind && images.length > 0) emit({ type: 'notice', notice: BLIND_NOTICE });
  return {
    files: [
      ...before.map((record) =>
        attachedText(record, list.indexOf(pathOf(record)) || undefined, ports.boundary),
      ),
      ...taken.map(({ result }) => result),
    ],
    images: blind ? [] : [...images],
    notes: unseenImages(blind ? images.length : 0),
  };
}

/** Two files of one name are told apart by their folders. */
function withFolderIfNeeded(
  file: AttachedFile,
  _: number,
  all: readonly AttachedFile[],
): AttachedFile {
  const isShared = all.some(({ name, path }) => name === file.name && path !== file.path);
  return isShared ? { ...file, name: file.path.split('/').slice(-2).join('/') } : file;
}

const BLIND_NOTICE =
  'The image was not sent: this model cannot see images. Regenerate with Another Model… asks one that can.';

/** One sentence about files that the model does not read to their end. */
export function partlyNotice(names: readonly string[]): string {
  return `The model can read only the beginning of ${names.join(', ')}: the rest does not fit.`;
}

/** The conversation without the images of earlier turns; undefined if it has none. */
export function withoutEarlierImages(messages: readonly LoopMessage[]): LoopMessage[] | undefined {
  const has = (message: LoopMessage) =>
    message.role === 'user' && message.isEarlier === true && message.images !== undefined;
  if (!messages.some(has)) return undefined;
  return messages.map((message) => {
    if (message.role !== 'user' || !has(message)) return message;
    const { images = [], content, ...rest } = message;
    return { ...rest, content: [...unseenImages(images.length), content].join('\n\n') };
  });
}
