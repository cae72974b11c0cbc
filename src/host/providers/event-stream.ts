import { createParser } from 'eventsource-parser';

import type { ChatEvent } from '../../lib/types';

import { failureOf, type ServerFacts } from './failures';
import { parseJson } from './lenient';
import type { AnswerState, WireDecoder } from './wire';

/** Characters of one event, or of a whole document. An answer is a few hundred kilobytes; more is a runaway server. */
const MAX_BUFFER_CHARS = 8 * 1024 * 1024;

/** What a dialect makes of the JSON in an answer. */
interface EventReader {
  /** The events of one server-sent event; `name` is its `event:` field. None for JSON of an unknown shape. */
  event(json: unknown, name: string | undefined): ChatEvent[];
  /** The same for the one JSON document that came instead of a stream; must end the answer. */
  document(json: unknown): ChatEvent[];
}

/**
 * Decodes server-sent events that hold JSON, or the one JSON document some servers send although a stream was asked for.
 * Which of them it is shows its first character; content types are not to be relied on.
 */
export function createEventStreamDecoder(
  state: AnswerState,
  server: ServerFacts,
  reader: EventReader,
): WireDecoder {
  const text = new TextDecoder();
  let form: 'unknown' | 'events' | 'document' = 'unknown';
  let document = '';
  let events: ChatEvent[] = [];
  let closing = false;
  let sawChunk = false;
  let noise = false;

  const emit = (more: ChatEvent[]) => {
    events.push(...more);
  };

  const parser = createParser({
    maxBufferSize: MAX_BUFFER_CHARS,
    onEvent({ event, data }) {
      if (state.phase === 'over' || data.trim() === '') return;
      if (emitEvent(data, event)) return;
      // Servers that end events with one line break instead of two: every line is an event of its own.
      const lines = data.split('\n');
      if (lines.length > 1 && lines.every((line) => emitEvent(line, event))) return;
      // Half an event at the very end is not the server's mistake.
      emit(state.fail(failureOf(closing ? 'cut' : 'garbled', server)));
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') emit(state.fail(failureOf('garbled', server)));
      if (type === 'unknown-field') noise = true;
    },
  });

  /** False = not readable. */
  function emitEvent(data: string, event: string | undefined): boolean {
    const content = data.trim();
    if (content === '' || state.phase === 'over') return true;
    if (content === '[DONE]') {
      emit(state.complete());
      return true;
    }
    const json = parseJson(content);
    if (json === undefined) return false;
    sawChunk = true;
    emit(reader.event(json, event));
    return true;
  }

  function feed(piece: string): void {
    if (state.phase === 'over' || piece === '') return;
    if (form === 'events') {
      parser.feed(piece);
      return;
    }
    document += piece;
    if (form === 'unknown') {
      const first = /\S/.exec(document)?.[0];
      if (first === '<') emit(state.fail(failureOf('html', server)));
      else if (first === '{' || first === '[') form = 'document';
      else if (first !== undefined) {
        form = 'events';
        parser.feed(document);
        document = '';
      }
    }
    if (document.length > MAX_BUFFER_CHARS) emit(state.fail(failureOf('not-a-stream', server)));
  }

  function readDocument(): ChatEvent[] {
    const json = parseJson(document);
    return json === undefined ? state.fail(failureOf('not-json', server)) : reader.document(json);
  }

  const taken = () => {
    const result = events;
    events = [];
    return result;
  };

  return {
    get phase() {
      return state.phase;
    },
    push(bytes) {
      feed(text.decode(bytes, { stream: true }));
      return taken();
    },
    close(failure) {
      if (failure) {
        emit(state.breakOff(failure));
        return taken();
      }
      closing = true;
      feed(text.decode());
      if (state.phase !== 'over' && form === 'document') emit(readDocument());
      // The last event may lack its blank line.
      if (state.phase !== 'over' && form === 'events') parser.feed('\n\n');
      const nothing = state.phase === 'waiting' && !sawChunk;
      emit(state.breakOff(failureOf(nothing ? (noise ? 'not-json' : 'empty') : 'cut', server)));
      return taken();
    },
  };
}
