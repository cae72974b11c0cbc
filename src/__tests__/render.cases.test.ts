import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { renderModelOutput } from '../lib/render';
import { SourceSchema } from '../lib/schemas';

import { readCases } from './support/cases';
import { drawPane } from './support/pane-model';

const Case = z.object({
  id: z.string(),
  kind: z.string(),
  why: z.string(),
  markdown: z.string(),
  sources: z.optional(z.array(SourceSchema)),
  expect: z.object({
    /** Visible, each or one of a list. */
    drawn: z.array(z.union([z.string(), z.array(z.string())])),
    notDrawn: z.array(z.string()),
    inOrder: z.optional(z.boolean()),
    links: z.array(z.tuple([z.nullable(z.string()), z.string()])),
    linkCount: z.optional(z.number()),
    fetches: z.literal(0),
    code: z.optional(z.array(z.string())),
    inCode: z.optional(z.array(z.string())),
    infos: z.optional(z.array(z.string())),
    strikes: z.optional(z.array(z.string())),
    cells: z.optional(z.number()),
    contains: z.optional(z.array(z.string())),
    exact: z.optional(z.string()),
    cited: z.optional(z.array(z.number())),
  }),
});

const INVISIBLE = /[\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;
const plain = (text: string): string => text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();

/** The texts that `shown` lacks; `inOrder`: each must stand behind the one before. */
function missing(
  shown: string,
  wanted: readonly (string | string[])[],
  inOrder: boolean,
): unknown[] {
  let from = 0;
  return wanted.filter((each) => {
    const places = [each]
      .flat()
      .map((text) => shown.indexOf(plain(text), inOrder ? from : 0))
      .filter((place) => place >= 0);
    if (places.length === 0) return true;
    from = Math.min(...places);
    return false;
  });
}

describe.each(readCases('render.jsonl', Case))(
  '$id: $why',
  ({ markdown, sources = [], expect: wanted }) => {
    const { text, cited } = renderModelOutput(markdown, { sources });
    const drawing = drawPane(text);
    const shown = plain(drawing.text);

    it('is drawn', () => {
      expect(missing(shown, wanted.drawn, wanted.inOrder ?? false)).toEqual([]);
      expect(wanted.notDrawn.filter((each) => shown.includes(plain(each)))).toEqual([]);
      expect(drawing.dropped).toEqual([]);
      for (const part of wanted.contains ?? []) expect(text).toContain(part);
      if (wanted.exact !== undefined) expect(text).toBe(wanted.exact);
      if (wanted.code) expect(drawing.code).toEqual(wanted.code);
      for (const code of wanted.inCode ?? []) expect(drawing.codeSpans).toContain(code);
      if (wanted.infos) expect(drawing.infos).toEqual(wanted.infos);
      if (wanted.strikes) expect(drawing.strikes).toEqual(wanted.strikes);
      if (wanted.cells !== undefined) expect(drawing.cells).toBe(wanted.cells);
    });

    it('leads where it should, and loads nothing', () => {
      const links = drawing.links.map((link) => [plain(link.text), link.href]);
      for (const [label, href] of wanted.links)
        expect(links).toContainEqual([label === null ? expect.any(String) : plain(label), href]);
      if (wanted.linkCount !== undefined) expect(links).toHaveLength(wanted.linkCount);
      if (wanted.cited) expect([...cited].sort((a, b) => a - b)).toEqual(wanted.cited);
      expect(drawing.fetches).toEqual([]);
      expect(drawing.crashes).toEqual([]);
      for (const [, href] of links) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
    });
  },
);
