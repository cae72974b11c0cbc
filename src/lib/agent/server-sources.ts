import {
  cleanTitle,
  collectSources,
  createSourceList,
  isOpenable,
  linkCitations,
  type SourceList,
} from '../citations';
import { MAX_KEPT_TITLE_CHARS, MAX_URL_CHARS } from '../constants';
import { sourceHead } from '../tools';
import type { NamedSource, Source } from '../types';
import type { Recorder } from './recorder';

/** The name under which pages that the model server itself names are kept among a turn's calls. No tool has it. */
export const SERVER_SEARCH = 'provider_search';

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
 * number; the second one belongs to no page.
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
  /** Numbers of the server's list, also those that no page has here. */
  const claimed = new Set<number>();
  let position: number | undefined;

  const isUntouched = () =>
    roundStart === 0 && collectSources(recorder.turn().toolCalls).length === 0;

  /** False = the number means another page here. */
  function place(title: string, url: string, number: number): boolean {
    claimed.add(number);
    const isTaken = own.some(({ index }) => index === number);
    const isKnown = list.indexOf(url) > 0;
    if (!isKnown && !isTaken) own.push({ index: number, title: title || url, url, kind: 'web' });
    list = createSourceList(own, claimed);
    return isKnown || !isTaken;
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
      const url = address.trim();
      if (url.length > MAX_URL_CHARS || !isOpenable({ url })) return;
      const title = cleanTitle(given, MAX_KEPT_TITLE_CHARS);
      const before = own.length;
      if (number !== undefined && !numbering && isUntouched()) {
        numbering = true;
        list = createSourceList();
      }
      const agrees =
        number === undefined
          ? add(title, url) > 0
          : numbering
            ? place(title, url, number)
            : add(title, url) === number;
      if (!agrees) doubtfulFrom ??= roundStart;
      if (own.length > before) record();
    },
    settle() {
      const turn = recorder.turn();
      if (doubtfulFrom === undefined) return undefined;
      const before = turn.response.slice(0, doubtfulFrom);
      return before + escapeMarkers(turn.response.slice(doubtfulFrom), list.all());
    },
  };
}

/** An address that no answer has: what `linkCitations` makes of a marker can be told from every other link by it. */
const STAND_IN = 'https://marker.example/';
const LINKED = /\[\\\[(\d+)\\\]\]\(https:\/\/marker\.example\/\d+\)/g;

/** The text with backslashes before the brackets of every marker: they read the same and cite nothing. */
function escapeMarkers(text: string, sources: readonly Source[]): string {
  const stand = sources.map(({ index }) => ({ index, title: '', url: `${STAND_IN}${index}` }));
  return linkCitations(text, stand).text.replace(LINKED, '\\[$1\\]');
}
