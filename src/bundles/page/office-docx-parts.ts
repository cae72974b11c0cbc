import { walkXml } from './office-xml';

/** What a style says of its paragraphs, with what it inherits. */
interface Style {
  /** Of a heading, from 0. */
  level?: number | undefined;
  /** Id of a list. */
  list?: string | undefined;
}

export type Styles = Map<string, Style>;

/** Styles that a style is based on, one on another; more would be a circle. */
const MAX_BASES = 20;

/** The paragraph styles of a document by their ids. `heading 1` is called so in every language (part 1, section 17.7.4.9). */
export function styles(bytes: Uint8Array | undefined): Styles {
  const found = new Map<string, Style & { base?: string | undefined }>();
  let id: string | undefined;
  if (bytes !== undefined)
    walkXml(bytes, {
      open(name, attribute) {
        if (name === 'style') {
          id = attribute('styleId');
          if (id !== undefined) found.set(id, {});
          return;
        }
        const style = id === undefined ? undefined : found.get(id);
        if (style === undefined) return;
        const value = attribute('val');
        if (name === 'name') style.level ??= headingLevel(value);
        else if (name === 'basedOn') style.base = value;
        else if (name === 'outlineLvl' && value !== undefined && /^\d$/.test(value))
          style.level = Number(value);
        else if (name === 'numId') style.list = value;
      },
      close(name) {
        if (name === 'style') id = undefined;
      },
    });
  const out: Styles = new Map();
  for (const [key, own] of found) {
    const style: Style = { level: own.level, list: own.list };
    let base = own.base;
    for (let n = 0; n < MAX_BASES && base !== undefined; n += 1) {
      const above = found.get(base);
      style.level ??= above?.level;
      style.list ??= above?.list;
      base = above?.base;
    }
    out.set(key, style);
  }
  return out;
}

function headingLevel(name: string | undefined): number | undefined {
  const level = /^heading ([1-9])$/i.exec(name ?? '')?.[1];
  if (level !== undefined) return Number(level) - 1;
  return /^title$/i.test(name ?? '') ? 0 : undefined;
}

/** How a level of a list is counted. */
interface LevelFormat {
  isBullet: boolean;
  /** Neither bullet nor number. */
  isPlain: boolean;
  start: number;
}

export type Numberings = Map<string, LevelFormat[]>;

/** The lists of a document by the ids that paragraphs name. */
export function numberings(bytes: Uint8Array | undefined): Numberings {
  const abstract = new Map<string, LevelFormat[]>();
  const out: Numberings = new Map();
  let levels: LevelFormat[] | undefined;
  let level: LevelFormat | undefined;
  let num: string | undefined;
  if (bytes !== undefined)
    walkXml(bytes, {
      open(name, attribute) {
        const value = attribute('val');
        if (name === 'abstractNum') {
          levels = [];
          abstract.set(attribute('abstractNumId') ?? '', levels);
        } else if (name === 'lvl' && levels !== undefined && levels.length < 9) {
          level = { isBullet: false, isPlain: false, start: 1 };
          levels.push(level);
        } else if (name === 'start' && level !== undefined) level.start = Number(value ?? 1) || 0;
        else if (name === 'numFmt' && level !== undefined) {
          level.isBullet = value === 'bullet';
          level.isPlain = value === 'none';
        } else if (name === 'num') num = attribute('numId');
        else if (name === 'abstractNumId' && num !== undefined)
          out.set(num, abstract.get(value ?? '') ?? []);
      },
      close(name) {
        if (name === 'abstractNum') levels = undefined;
        else if (name === 'lvl') level = undefined;
        else if (name === 'num') num = undefined;
      },
    });
  return out;
}

/** What a part's relations point at, by their ids (ECMA-376, part 2). */
export function targets(
  bytes: Uint8Array | undefined,
): Map<string, { type: string; target: string }> {
  const out = new Map<string, { type: string; target: string }>();
  if (bytes !== undefined)
    walkXml(bytes, {
      open(name, attribute) {
        if (name !== 'Relationship') return;
        out.set(attribute('Id') ?? '', {
          type: attribute('Type') ?? '',
          target: attribute('Target') ?? '',
        });
      },
    });
  return out;
}
