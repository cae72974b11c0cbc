import type { RequestedCall } from '../../lib/types';

/** One entry of a `tool_calls` array, as far as it could be read. Everything may be missing. */
export interface CallFragment {
  index?: string | number | undefined;
  id?: string | undefined;
  name?: string | undefined;
  /** A piece of JSON text, or the whole as an object. */
  arguments?: unknown;
}

interface Slot {
  id: string;
  name: string;
  text: string;
  /** Set when the arguments came as a value instead of as text. */
  value?: unknown;
}

/**
 * Puts tool calls together from the fragments that servers send. Pure, and total: any fragment is accepted.
 *
 * Which call a fragment belongs to is decided by its index; without one by its id; without both it is the last call's.
 * It begins a new call instead when it brings a name and
 * - another id than the call it would join (servers that give every call index 0),
 * - or that call's arguments are already complete and it brings more,
 * - or, without an id that says otherwise, an earlier entry of the same array already went to that call, or that call
 *   has another name and its arguments have begun.
 *
 * @param taken ids already used in the conversation; made-up ids (`call_1`, `call_2`, …) avoid them.
 */
export function createToolCallAssembly(taken: Iterable<string> = []): {
  /** Takes the entries of one `tool_calls` array. */
  add(fragments: readonly CallFragment[]): void;
  /** Calls seen so far. */
  readonly count: number;
  /** The calls in the order they began. Arguments are JSON text or a value; missing or blank ones are `{}`. */
  finish(options?: { dropIncomplete?: boolean }): RequestedCall[];
} {
  const slots: Slot[] = [];
  const byIndex = new Map<string, Slot>();
  let last: Slot | undefined;

  function open(fragment: CallFragment): Slot {
    const slot: Slot = { id: '', name: '', text: '' };
    slots.push(slot);
    if (fragment.index !== undefined) byIndex.set(String(fragment.index), slot);
    return slot;
  }

  function candidateFor({ index, id }: CallFragment): Slot | undefined {
    if (index !== undefined) return byIndex.get(String(index));
    if (id) return slots.find((slot) => slot.id === id);
    return last;
  }

  return {
    add(fragments) {
      const touched = new Set<Slot>();
      for (const fragment of fragments) {
        const candidate = candidateFor(fragment);
        if (candidate && isRepeat(candidate, fragment)) {
          touched.add(candidate);
          continue;
        }
        const slot =
          candidate && !beginsAnother(candidate, fragment, touched) ? candidate : open(fragment);
        merge(slot, fragment);
        touched.add(slot);
        last = slot;
      }
    },
    get count() {
      return slots.length;
    },
    finish({ dropIncomplete = false } = {}) {
      const used = new Set(taken);
      const calls: RequestedCall[] = [];
      for (const slot of slots) {
        if (slot.name === '' && slot.text.trim() === '' && slot.value === undefined) continue;
        if (dropIncomplete && slot.value === undefined && !isWhole(slot.text)) continue;
        const id = slot.id !== '' && !used.has(slot.id) ? slot.id : freshId(calls.length, used);
        used.add(id);
        calls.push({ id, name: slot.name.trim(), arguments: argumentsOf(slot) });
      }
      return calls;
    },
  };
}

function beginsAnother(slot: Slot, fragment: CallFragment, touched: ReadonlySet<Slot>): boolean {
  const { id, name } = fragment;
  if (!name) return false;
  if (id && slot.id !== '' && id !== slot.id) return true;
  if (isComplete(slot) && hasArguments(fragment)) return !isPlaceholder(slot);
  if (id && id === slot.id) return false;
  if (touched.has(slot)) return true;
  return name !== slot.name && (slot.text.trim() !== '' || slot.value !== undefined);
}

/** The finished call once more under the same id, as some servers send at the end. */
function isRepeat(slot: Slot, fragment: CallFragment): boolean {
  if (!fragment.id || fragment.id !== slot.id) return false;
  if (fragment.name && fragment.name !== slot.name) return false;
  if (!hasArguments(fragment) || !isComplete(slot)) return false;
  const repeated = fragment.arguments;
  return typeof repeated === 'string'
    ? repeated.trim() === slot.text.trim()
    : JSON.stringify(repeated) === JSON.stringify(slot.value);
}

function merge(slot: Slot, { id, name, arguments: args }: CallFragment): void {
  if (id && slot.id === '') slot.id = id;
  if (name) slot.name = mergedName(slot.name, name);
  if (typeof args === 'string')
    slot.text = isPlaceholder(slot) && args.trim() ? args : slot.text + args;
  else if (args !== undefined && args !== null) slot.value = args;
}

/** Gateways in front of other APIs open a call with `{}` and send the real arguments after it. */
function isPlaceholder(slot: Slot): boolean {
  return slot.value === undefined && slot.text.trim() === '{}';
}

/** Names come whole in each fragment, growing, or in pieces. */
function mergedName(known: string, name: string): string {
  if (name === known) return known;
  return name.startsWith(known) ? name : known + name;
}

function hasArguments({ arguments: args }: CallFragment): boolean {
  return typeof args === 'string' ? args.trim() !== '' : args !== undefined && args !== null;
}

function isComplete(slot: Slot): boolean {
  return slot.value !== undefined || (slot.text.trimEnd().endsWith('}') && isJson(slot.text));
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** No text at all may be the arguments of a call that was cut before they began. */
function isWhole(text: string): boolean {
  return text.trim() !== '' && isJson(text);
}

function argumentsOf(slot: Slot): unknown {
  if (slot.value !== undefined) return slot.value;
  return slot.text.trim() === '' ? {} : slot.text;
}

function freshId(position: number, used: ReadonlySet<string>): string {
  let number = position + 1;
  while (used.has(`call_${number}`)) number += 1;
  return `call_${number}`;
}
