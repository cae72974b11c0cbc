import * as z from 'zod/mini';

import type { SourceList } from '../citations';
import {
  MAX_KEPT_TITLE_CHARS,
  MAX_MESSAGE_CHARS,
  MAX_RESULT_CHARS,
  MAX_URL_CHARS,
} from '../constants';
import type { DocumentOutcome } from '../types';
import { NO_DOCUMENTS, pathLine } from './document-lines';
import { numberDocument } from './document-source';
import { citeReminder, printable, sourceHead } from './numbers';
import { partShown, withoutBareMark } from './paged';
import { shownRows } from './shown';
import { slice, type Slice } from './slice';
import { defineTool, type ToolResult } from './tool';
import { cleanLine, fenced } from './untrusted';

/** A place as it is printed beside a passage (`¶12`, `p. 4`, `pp. 4–5`) as the number it begins at. */
function bareNumber(place: string): string {
  return place
    .trim()
    .replace(/^(?:¶|pp?\.)\s*/iu, '')
    .replace(/(?<=^\d{1,9})\s*[-–]\s*\d{1,9}$/u, '');
}

/** Models fill optional numbers with 0 or `""` to say "none". */
const None = z.pipe(
  z.union([z.literal(0), z.string().check(z.overwrite(bareNumber), z.regex(/^0?$/))]),
  z.transform(() => undefined),
);

const numberFrom = (least: number) => {
  const issue = `must be a whole number from ${least}`;
  return z.optional(
    z.union(
      [
        None,
        z.int(issue).check(z.minimum(least, issue)),
        z.pipe(
          z.string().check(z.overwrite(bareNumber), z.regex(/^\d{1,9}$/)),
          z.transform(Number),
        ),
      ],
      issue,
    ),
  );
};

const schema = z.object({
  path: z.string('must be text').check(
    z.refine((path) => path.trim() !== '', 'is empty'),
    z.maxLength(MAX_URL_CHARS, `is longer than ${MAX_URL_CHARS} characters`),
  ),
  page: numberFrom(1),
  block: numberFrom(1),
  offset: numberFrom(0),
});

type Input = z.infer<typeof schema>;

/** `read_document(path, page?|block?|offset?)`. A document gets its number when it could be read; the number it has already stays. */
export const readDocument = /* @__PURE__ */ defineTool({
  name: 'read_document',
  reads: 'documents',
  describe: () =>
    "Reads one of the person's documents and gives its text, with the number to cite it by. Long documents come in parts; the result names the offset of the next part.",
  parameters: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'The path of the document, exactly as search_documents gave it.',
      },
      page: {
        type: 'integer',
        minimum: 1,
        description: 'The page to begin at, as in "p. 4". Only for documents that have pages.',
      },
      block: {
        type: 'integer',
        minimum: 1,
        description: 'The paragraph to begin at, as in "¶12".',
      },
      offset: {
        type: 'integer',
        minimum: 0,
        description:
          'Where to go on reading, in characters, as named by an earlier result. Leave out page, block and offset to start at the beginning.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  schema,
  aliases: {
    file: 'path',
    document: 'path',
    name: 'path',
    file_path: 'path',
    filename: 'path',
    start: 'offset',
    paragraph: 'block',
  },
  keyOf: (input) => JSON.stringify([input.path, ...Object.values(beginning(input))]),
  run: ({ path }, { documents }, signal) =>
    documents ? documents.read(path, signal) : Promise.resolve(NO_DOCUMENTS),
  register: report,
});

const PLACES = ['page', 'block', 'offset'] as const;

/** The place to begin at, and those that were given beside it and do not count. */
function beginning(input: Input): { by: (typeof PLACES)[number]; value: number; beside: string } {
  const [by = 'offset', ...others] = PLACES.filter((place) => input[place] !== undefined);
  return { by, value: input[by] ?? 0, beside: others.join(' or ') };
}

type Document = Extract<DocumentOutcome, { ok: true }>;

function report(
  input: Input,
  outcome: DocumentOutcome,
  sources: SourceList,
  boundary: () => string,
): ToolResult {
  const asked = printable(input.path, MAX_MESSAGE_CHARS);
  if (!outcome.ok) {
    const reason = printable(outcome.message, MAX_MESSAGE_CHARS);
    return failure(`${asked} could not be read (${outcome.status}): ${reason}`, sources);
  }
  if (outcome.text.trim() === '') {
    const index = sources.indexOf(outcome.document.path);
    return {
      ...failure(
        `${asked} could not be read (unreadable): The document holds no readable text.`,
        sources,
      ),
      ...(index > 0 ? { statuses: [{ index, status: 'unreadable' }] } : {}),
    };
  }
  const from = offsetOf(input, outcome);
  if (!from.ok) return failure(`${asked} was not read: ${from.issue}`, sources);
  const part = withoutBareMark(outcome, slice(outcome.text, from.offset, MAX_RESULT_CHARS));
  return show(outcome, part, beginning(input), sources, boundary);
}

function failure(sentence: string, sources: SourceList): ToolResult {
  return { content: `${sentence}\n\n${citeReminder(sources)}`, isError: true };
}

/** Where to begin, or what is wrong with the place, as it stands behind a colon. */
function offsetOf(
  input: Input,
  { text, pages, blocks }: Document,
): { ok: true; offset: number } | { ok: false; issue: string } {
  const { by, value } = beginning(input);
  const at = {
    page: () => pages?.starts[value - 1],
    block: () => blocks[value - 1]?.start,
    offset: () => (value < text.length ? value : undefined),
  }[by]();
  if (at !== undefined) return { ok: true, offset: at };
  if (by === 'page' && pages === undefined)
    return { ok: false, issue: 'the document has no pages; use block or offset, or neither.' };
  if (by === 'page' && pages !== undefined && value <= pages.total)
    return {
      ok: false,
      issue: `of its ${pages.total} pages only the first ${pages.starts.length} could be read.`,
    };
  const [what, has] = {
    page: ['page', count(pages?.total ?? 0, 'page')],
    block: ['paragraph', count(blocks.length, 'paragraph')],
    offset: ['offset', count(text.length, 'character')],
  }[by];
  return { ok: false, issue: `${what} ${value} is past its end, the document has ${has}.` };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

const WORDS = { tool: 'read_document', argument: 'path', what: 'document' } as const;

function show(
  outcome: Document,
  part: Slice,
  { by, beside }: ReturnType<typeof beginning>,
  sources: SourceList,
  boundary: () => string,
): ToolResult {
  const { document, text, blocks, cut = false } = outcome;
  const title = cleanLine(document.title, MAX_KEPT_TITLE_CHARS);
  const { index, numbered, added } = numberDocument({ ...document, title }, sources);
  const whole = part.start === 0 && part.end === text.length && !cut;
  const note = beside === '' ? '' : `; only ${by} counts, not ${beside}`;
  const name = numbered
    ? sourceHead(numbered)
    : `(no number: cannot be cited) ${printable(title, MAX_KEPT_TITLE_CHARS)}`;
  const head = `${name}\n${pathLine(document.name)}Shown: ${partShown(outcome, part, cut, WORDS)}${note}\n`;
  const { opening, safe, closing } = fenced(part.text, boundary, 'file');
  const at = head.length + opening.length;
  const rows = numbered
    ? shownRows({ index, start: part.start, text: part.text, safe, at }, blocks)
    : [];
  return {
    content: `${head}${opening}${safe}${closing}\n\n${citeReminder(sources)}`,
    isError: false,
    ...(added ? { sources: [added] } : {}),
    ...(numbered ? { statuses: [{ index, status: whole ? 'read' : 'part' }] } : {}),
    ...(rows.length > 0 ? { shown: rows } : {}),
  };
}
