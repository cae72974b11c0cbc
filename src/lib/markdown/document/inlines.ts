import { decodeString } from 'micromark-util-decode-string';

import type { Analysis } from '../../citations';
import { opensInPane, type Link, type Node, type Scan } from '../../code';
import { texToUnicode } from '../../maths';
import type { Source } from '../../types';

import { pairTags, readTag, type Loose } from './tags';

export type Inline =
  | { kind: 'text'; text: string }
  /** A line that the writer broke. */
  | { kind: 'break' }
  /** The end of a line in the Markdown. */
  | { kind: 'line' }
  | { kind: 'code'; text: string }
  /** A formula that Unicode cannot say, as TeX. */
  | { kind: 'tex'; text: string }
  | { kind: 'marker'; sources: Source[] }
  /** `mayOpen`: the address is one that may become a link. */
  | { kind: 'link'; address: string; mayOpen: boolean; children: Inline[] }
  | { kind: 'styled'; style: 'em' | 'strong' | 'del'; children: Inline[] }
  /** A pair of HTML tags with what stands between them; `opening` and `closing` as written. */
  | { kind: 'tag'; name: string; opening: string; closing: string; children: Inline[] };

const STYLES: Partial<Record<string, 'em' | 'strong' | 'del'>> = {
  emphasis: 'em',
  strong: 'strong',
  strikethrough: 'del',
};

/** Nodes that hold the text of another one. */
const SHELLS = new Set(['emphasisText', 'strongText', 'strikethroughText']);

/** The prefixes of containers in a paragraph that goes over several lines, and the delimiters of styles. */
const SILENT = /(?:Prefix|Indent|Suffix|Sequence|Marker|whitespace)$/;

const labelText = (node: Node): Node[] =>
  node.children
    .find((child) => child.type === 'label')
    ?.children.find((child) => child.type === 'labelText')?.children ?? [];

const byStart = <T extends { start: number }>(list: readonly T[]): Map<number, T> =>
  new Map(list.map((each) => [each.start, each]));

/** Reads the inline content of blocks. One for a whole text. */
export class Inlines {
  readonly #scan: Scan;
  readonly #analysis: Analysis;
  readonly #sources: Map<number, Source>;
  readonly #markers: Map<number, { end: number; numbers: number[] }>;
  readonly #links: Map<number, Link>;
  readonly #formulas: Map<number, Scan['formulas'][number]>;
  readonly #definitions: Map<number, Scan['definitions'][number]>;
  /** Definitions whose address stands in the links that name them. */
  readonly #used = new Set<number>();
  #isInTable = false;

  constructor(scan: Scan, analysis: Analysis, sources: readonly Source[]) {
    this.#scan = scan;
    this.#analysis = analysis;
    this.#sources = new Map([...sources].reverse().map((source) => [source.index, source]));
    this.#markers = byStart([...analysis.markers, ...analysis.ownLinks]);
    this.#links = byStart(scan.links);
    this.#formulas = byStart(scan.formulas);
    this.#definitions = byStart(scan.definitions);
    const first = new Map(
      [...scan.definitions].reverse().map(({ identifier, start }) => [identifier, start]),
    );
    for (const link of scan.links) {
      const start = first.get(link.identifier ?? '');
      if (start !== undefined && !this.#isText(link)) this.#used.add(start);
    }
  }

  read(nodes: readonly Node[], isInTable = false): Inline[] {
    this.#isInTable = isInTable;
    return this.#read(nodes);
  }

  /** A definition as a line of text, unless the links that name it say its address. */
  definition(node: Node): Inline[] {
    const definition = this.#definitions.get(node.start);
    if (!definition || this.#isDropped(node) || this.#used.has(node.start)) return [];
    const { start, end, label, destination } = definition;
    const text = (text: string): Inline => ({ kind: 'text', text });
    if (opensInPane(destination)) {
      const children = [text(destination)];
      return [
        text(`[${label}]: `),
        { kind: 'link', address: destination, mayOpen: true, children },
      ];
    }
    return [text(this.#scan.text.slice(start, end).replace(/[ \t]*(?:\r\n|\r|\n)[ \t>]*/g, ' '))];
  }

  /** A mark of a footnote, or an index between code tags: a link for the parser only. */
  #isText({ identifier, isClosed, destination }: Link): boolean {
    if (destination === undefined) return true;
    return identifier !== undefined && (isClosed || identifier.startsWith('^'));
  }

  #isDropped({ start, end }: Node): boolean {
    const { drops } = this.#analysis;
    let low = 0;
    let high = drops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((drops[middle]?.end ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    const drop = drops[low];
    return drop !== undefined && drop.start <= start && end <= drop.end;
  }

  #read(nodes: readonly Node[]): Inline[] {
    const out: Loose[] = [];
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (!node || this.#isDropped(node)) continue;
      if (node.type !== 'data') {
        this.#one(node, out);
        continue;
      }
      // A marker can lie across neighbours.
      let end = node.end;
      for (; nodes[i + 1]?.type === 'data' && nodes[i + 1]?.start === end; i++)
        end = nodes[i + 1]?.end ?? end;
      this.#data(node.start, end, out);
    }
    return pairTags(out);
  }

  #data(start: number, end: number, out: Loose[]): void {
    const data = this.#scan.text.slice(start, end);
    let at = 0;
    for (const { index } of data.matchAll(/[[［【]/g)) {
      const marker = this.#markers.get(start + index);
      if (!marker || index < at || marker.end > end) continue;
      if (at < index) out.push({ kind: 'text', text: data.slice(at, index) });
      out.push(this.#marker(marker.numbers));
      at = marker.end - start;
    }
    if (at < data.length) out.push({ kind: 'text', text: data.slice(at) });
  }

  #marker(numbers: readonly number[]): Inline {
    const sources = numbers.map((number) => this.#sources.get(number));
    return { kind: 'marker', sources: sources.filter((source) => source !== undefined) };
  }

  #one(node: Node, out: Loose[]): void {
    const { text } = this.#scan;
    const slice = text.slice(node.start, node.end);
    const style = STYLES[node.type];
    if (style) {
      const children = this.#read(
        node.children.flatMap((child) => (SHELLS.has(child.type) ? child.children : [child])),
      );
      out.push({ kind: 'styled', style, children });
      return;
    }
    switch (node.type) {
      case 'characterEscape':
        out.push({ kind: 'text', text: slice.slice(1) });
        return;
      case 'characterReference':
        out.push({ kind: 'text', text: decodeString(slice) });
        return;
      case 'hardBreakEscape':
      case 'hardBreakTrailing':
        out.push({ kind: 'break' });
        return;
      case 'lineEnding':
        // A hard break has ended the line already.
        if (out.at(-1)?.kind !== 'break' && out.length > 0) out.push({ kind: 'line' });
        return;
      case 'codeText':
        out.push({ kind: 'code', text: this.#code(node) });
        return;
      case 'htmlText':
        out.push(...readTag(slice));
        return;
      case 'mathText':
      case 'mathFlow': {
        const formula = this.#formulas.get(node.start);
        if (!formula) return;
        const unicode = texToUnicode(formula.tex, formula.display);
        out.push(
          unicode === undefined
            ? { kind: 'tex', text: formula.tex }
            : { kind: 'text', text: unicode },
        );
        return;
      }
      case 'link':
      case 'image':
      case 'autolink':
        this.#link(node, out);
        return;
      case 'unparsed':
        out.push({ kind: 'text', text: slice.replace(/[\r\n]+$/, '') });
        if (/[\r\n]$/.test(slice)) out.push({ kind: 'line' });
        return;
    }
    if (!SILENT.test(node.type)) out.push({ kind: 'text', text: slice });
  }

  /** What a span of code says. In a table an escaped pipe is a pipe, because it would end the cell. */
  #code(node: Node): string {
    const code = node.children
      .map((child) =>
        child.type === 'codeTextData'
          ? this.#scan.text.slice(child.start, child.end)
          : child.type === 'lineEnding'
            ? ' '
            : '',
      )
      .join('');
    return this.#isInTable ? code.replaceAll('\\|', '|') : code;
  }

  #link(node: Node, out: Loose[]): void {
    const marker = this.#markers.get(node.start);
    if (marker?.end === node.end) {
      out.push(this.#marker(marker.numbers));
      return;
    }
    const link = this.#links.get(node.start);
    const label = labelText(node);
    // Links in the alternative text of an image were not looked into.
    if (!link) {
      out.push(...this.#read(label));
      return;
    }
    if (this.#isText(link)) {
      out.push({ kind: 'text', text: this.#scan.text.slice(node.start, node.end) });
      return;
    }
    const { destination = '', form, kind, isInLink } = link;
    const children: Inline[] =
      form === 'autolink'
        ? [{ kind: 'text', text: this.#scan.text.slice(link.label.start, link.label.end) }]
        : this.#read(label);
    if (kind === 'image' && children.length === 0) children.push({ kind: 'text', text: 'image' });
    if (isInLink || destination === '') out.push(...children);
    else
      out.push({ kind: 'link', address: destination, mayOpen: opensInPane(destination), children });
  }
}
