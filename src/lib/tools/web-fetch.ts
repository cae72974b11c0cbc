import * as z from 'zod/mini';

import { isOpenable, type SourceList } from '../citations';
import {
  MAX_KEPT_TITLE_CHARS,
  MAX_MESSAGE_CHARS,
  MAX_RESULT_CHARS,
  MAX_URL_CHARS,
} from '../constants';
import type { Page, PageOutcome } from '../types';
import { repairAddress } from './address';
import { citeReminder, printable, sourceHead } from './numbers';
import { partShown, readableText, withoutBareMark, type ReadableText } from './paged';
import { blocksThrough, shownRows } from './shown';
import { slice, type Slice } from './slice';
import { defineTool, type ToolResult } from './tool';
import { cleanLine, fenced } from './untrusted';

const OFFSET_ISSUE = 'must be a whole number from 0';

const schema = z.object({
  url: z.string('must be text').check(
    z.overwrite(repairAddress),
    z.minLength(1, 'is empty'),
    z.maxLength(MAX_URL_CHARS, `is longer than ${MAX_URL_CHARS} characters`),
    z.refine((url) => isOpenable({ url }), 'must be an http or https address'),
  ),
  offset: z.optional(
    z.union(
      [
        z.int(OFFSET_ISSUE).check(z.nonnegative(OFFSET_ISSUE)),
        z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number)),
      ],
      OFFSET_ISSUE,
    ),
  ),
});

type Input = z.infer<typeof schema>;

/** `web_fetch(url, offset?)`. A page gets its number when it could be read; the number it has already stays. */
export const webFetch = /* @__PURE__ */ defineTool({
  name: 'web_fetch',
  reads: 'web',
  describe: () =>
    'Reads a web page, PDF file, feed or data file and gives its text, with the number to cite it by. Long pages come in parts; the result names the offset of the next part.',
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'The address of the page, with https://.' },
      offset: {
        type: 'integer',
        minimum: 0,
        description:
          'Where to go on reading, in characters, as named by an earlier result. Leave it out to start at the beginning.',
      },
    },
    required: ['url'],
    additionalProperties: false,
  },
  schema,
  aliases: { uri: 'url', link: 'url', address: 'url' },
  keyOf: ({ url, offset = 0 }) => `${url} ${offset}`,
  run: ({ url }, ports, signal) => ports.fetchPage(url, signal),
  register: report,
});

function report(
  input: Input,
  outcome: PageOutcome,
  sources: SourceList,
  boundary: () => string,
): ToolResult {
  if (!outcome.ok) return failure(input.url, outcome.status, outcome.message, sources);
  const { page } = outcome;
  const readable = readableText(page);
  const { text } = readable;
  const offset = input.offset ?? 0;
  if (text.trim() === '')
    return failure(input.url, 'unreadable', 'The page holds no readable text.', sources);
  if (offset >= text.length) {
    const content = `${input.url} was not read: offset ${offset} is past its end, the page has ${text.length} characters.`;
    return { content: `${content}\n\n${citeReminder(sources)}`, isError: true };
  }
  const part = withoutBareMark(readable, slice(text, offset, MAX_RESULT_CHARS));
  return show(input.url, { page, readable, part }, sources, boundary);
}

function show(
  url: string,
  { page, readable, part }: { page: Page; readable: ReadableText; part: Slice },
  sources: SourceList,
  boundary: () => string,
): ToolResult {
  const title = cleanLine(page.title, MAX_KEPT_TITLE_CHARS);
  const { index, source } = sources.add(title, url, {
    redirects: [page.url],
    ...(page.canonical === undefined ? {} : { canonical: page.canonical }),
  });
  const numbered = sources.all().find((other) => other.index === index);
  const whole = part.start === 0 && part.end === readable.text.length && page.cut !== true;
  const head = [
    numbered
      ? `${sourceHead(numbered)}\nURL: ${numbered.url}`
      : `(no number: cannot be cited) ${printable(title, MAX_KEPT_TITLE_CHARS)}\nURL: ${url}`,
    `Shown: ${partShown(readable, part, page.cut === true, WORDS)}\n`,
  ].join('\n');
  const { opening, safe, closing } = fenced(part.text, boundary, 'page');
  const rows = numbered
    ? shownRows(
        { index, start: part.start, text: part.text, safe, at: head.length + opening.length },
        blocksThrough(readable, part.end),
      )
    : [];
  return {
    content: `${head}${opening}${safe}${closing}\n\n${citeReminder(sources)}`,
    isError: false,
    ...(source ? { sources: [source] } : {}),
    ...(index > 0 ? { statuses: [{ index, status: whole ? 'read' : 'part' }] } : {}),
    ...(rows.length > 0 ? { shown: rows } : {}),
  };
}

const WORDS = { tool: 'web_fetch', argument: 'url', what: 'page' } as const;

/** A failed fetch takes no number; one that the page has already is told what became of it. */
function failure(
  url: string,
  status: Extract<PageOutcome, { ok: false }>['status'],
  message: string,
  sources: SourceList,
): ToolResult {
  const index = sources.indexOf(url);
  const known =
    index > 0
      ? ` It keeps the number [${index}], but was not opened: cite only what was shown of it.`
      : '';
  const content = `${url} could not be read (${status}): ${printable(message, MAX_MESSAGE_CHARS)}${known}\n\n${citeReminder(sources)}`;
  return { content, isError: true, ...(index > 0 ? { statuses: [{ index, status }] } : {}) };
}
