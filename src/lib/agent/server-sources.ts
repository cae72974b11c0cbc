import {
  cleanTitle,
  collectSources,
  createSourceList,
  isOpenable,
  linkCitations,
  type SourceList,
} from '../citations';
import { MAX_KEPT_TITLE_CHARS, MAX_URL_CHARS, SERVER_SEARCH } from '../constants';
import { sourceHead } from '../tools';
import type { NamedSource, Source } from '../types';
import type { Recorder } from './recorder';

/** The turn's list, and what the model server adds to it. */
export interface ServerSources {
  /** The list as it is now; another one once the server's own numbers hold. */
  list(): SourceList;
  /** Another request to the model begins. */
  beginRound(): void;
  take: (source: NamedSource) => void;
  /** What must stand for the answer; undefined = it may stay as it was written. */
  settle(): string | undefined;
}

/**
 * Pages that the model server names as sources of its answer (web search of its own) join the turn's list like those of a
 * tool call, in a record of their own; the text of the answer is the server's and stays.
 *
 * Some servers write `[1]` and mean the first of their own list, which knows nothing of Lam's. These numbers hold only if
 * nothing in this turn has a number yet but what earlier turns carried over: then the list begins anew with the server's
 * numbers, and the offer of the carried ones, which such a server does not heed, is withdrawn. Otherwise the pages get the
 * next free numbers, and since `[1]` of this round may now mean either list, its brackets are escaped when the turn ends:
 * a number without a link is better than one with the wrong link. A server's list that has a page twice keeps its first
 * number; the second one belongs to no page. Nor does that of a row without a usable address, and no other page gets it.
 *
 * Pages without numbers belong to links in the text (annotations). Where none of them is linked there, they may come from a
 * list that the text counts on all the same: then numbers that earlier turns offered are in doubt too.
 */
export function createServerSources(recorder: Recorder, initial: SourceList): ServerSources {
  let list = initial;
  /** The server's numbers hold. */
  let numbering = false;
  /** Where the text begins whose brackets may mean either list. */
  let doubtfulFrom: number | undefined;
  let roundStart = 0;
  /** What this record has added. */
  const own: Source[] = [];
  /** What the numbers of the server's list mean, also those that no page has here: the address, '' = nothing that can be opened. */
  const meant = new Map<number, string>();
  /** Pages without numbers, from where on the text had nothing numbered but them and what earlier turns offered. */
  const loose: string[] = [];
  let looseFrom: number | undefined;
  let position: number | undefined;

  const hasPages = () => collectSources(recorder.turn().toolCalls).length > 0;
  /** Files of earlier questions stand in the conversation under their numbers, whether or not the server heeds the offer. */
  const hasFiles = () => (recorder.turn().carried ?? []).some(({ kind }) => kind === 'document');
  const isUntouched = () => roundStart === 0 && !hasPages() && !hasFiles();

  /** The number is the server's from now on. False = it means another page here. */
  function claim(number: number, url: string): boolean {
    const before = meant.get(number);
    const agrees =
      before === undefined
        ? list.indexOf(url) === number || list.all().every(({ index }) => index !== number)
        : before === url || (url !== '' && before !== '' && isSamePage(before, url));
    if (before === undefined) {
      meant.set(number, url);
      list = createSourceList(list.all(), new Set(meant.keys()));
    }
    return agrees;
  }

  /** False = the number means another page here. */
  function place(title: string, url: string, number: number): boolean {
    const agrees = claim(number, url);
    if (url === '' || list.indexOf(url) > 0) return agrees;
    if (!agrees) {
      add(title, url);
      return false;
    }
    const source: Source = { index: number, title: title || url, url, kind: 'web' };
    own.push(source);
    list = createSourceList([...list.all(), source], new Set(meant.keys()));
    return true;
  }

  /** Takes a numbered row; see `place`. */
  function agrees(title: string, url: string, number: number): boolean {
    if (numbering) return place(title, url, number);
    if (!isUntouched()) return url !== '' && add(title, url) === number;
    if (url === '') {
      claim(number, url);
      // Whether the number clashes with one of an earlier turn is seen at the end: these may still be withdrawn.
      return true;
    }
    numbering = true;
    list = createSourceList([], new Set(meant.keys()));
    return place(title, url, number);
  }

  function add(title: string, url: string): number {
    const { index, source } = list.add(title, url);
    if (source) own.push(source);
    return index;
  }

  function record(): void {
    position ??= recorder.turn().toolCalls.length;
    const rows = own.map((source) => `${sourceHead(source)}\n   ${source.url}`);
    recorder.emit({
      type: 'call-end',
      position,
      record: {
        name: SERVER_SEARCH,
        arguments: {},
        result: ['The model server named these pages as its sources:', ...rows].join('\n\n'),
        isError: false,
        sources: own.toSorted((a, b) => a.index - b.index),
      },
      ...(numbering ? { carried: [] } : {}),
    });
  }

  return {
    list: () => list,
    beginRound() {
      roundStart = recorder.turn().response.length;
    },
    take({ title: given, url: address, number }) {
      const typed = address.trim();
      const url = typed.length <= MAX_URL_CHARS && isOpenable({ url: typed }) ? typed : '';
      const title = cleanTitle(given, MAX_KEPT_TITLE_CHARS);
      const before = own.length;
      if (number === undefined) {
        if (url === '') return;
        if (!hasPages()) looseFrom ??= roundStart;
        loose.push(url);
        add(title, url);
      } else if (!agrees(title, url, number)) doubtfulFrom ??= roundStart;
      if (own.length > before) record();
    },
    settle() {
      const { response, carried = [] } = recorder.turn();
      const isClear = carried.length === 0 || loose.some((url) => response.includes(url));
      const from = Math.min(
        doubtfulFrom ?? Infinity,
        (isClear ? undefined : looseFrom) ?? Infinity,
        carried.some(({ index }) => meant.has(index)) ? 0 : Infinity,
      );
      if (from === Infinity) return undefined;
      return response.slice(0, from) + escapeMarkers(response.slice(from), list.all());
    },
  };
}

function isSamePage(one: string, other: string): boolean {
  return createSourceList([{ index: 1, title: '', url: one }]).indexOf(other) === 1;
}

/** An address that no answer has: what `linkCitations` makes of a marker can be told from every other link by it. */
const STAND_IN = 'https://marker.example/';
const LINKED = /\[\\\[(\d+)\\\]\]\(https:\/\/marker\.example\/\d+\)/g;

/** The text with backslashes before the brackets of every marker: they read the same and cite nothing. */
function escapeMarkers(text: string, sources: readonly Source[]): string {
  const stand = sources.map(({ index }) => ({ index, title: '', url: `${STAND_IN}${index}` }));
  return linkCitations(text, stand).text.replace(LINKED, '\\[$1\\]');
}
