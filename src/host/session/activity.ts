import type { AgentEvent } from '../../lib/agent';
import { ATTACHED_FILE } from '../../lib/constants';
import { inertText, plain, type PlainText } from '../../lib/render';

/** Characters of a query or a host name in the line; the status bar shows about sixty in all. */
const MAX_OBJECT_CHARS = 40;

/** What to say before the first event, and whenever it is the model's turn. */
export const THINKING = plain`Thinking…`;

type Call = Extract<AgentEvent, { type: 'call-start' }>['call'];

/** Follows the events of a turn; each gives the line to show from then on. */
export function createActivity(): (event: AgentEvent) => PlainText {
  let line = THINKING;
  /** The calls of this round by position, and how many of them have ended. */
  let calls: Call[] = [];
  let ended = 0;

  const describeCalls = () => {
    const call = calls[ended];
    if (call === undefined) return THINKING;
    return calls.length === 1
      ? describe(call)
      : plain`${describe(call)} ${ended + 1} of ${calls.length}`;
  };

  return (event) => {
    switch (event.type) {
      case 'turn-start':
      case 'round-start':
        calls = [];
        ended = 0;
        line = THINKING;
        break;
      case 'reasoning-delta':
        line = THINKING;
        break;
      case 'text-delta':
        line = plain`Writing…`;
        break;
      case 'call-start':
        // A search that Lam makes itself is followed by its pages without a round between them.
        if (ended === calls.length) {
          calls = [];
          ended = 0;
        }
        calls.push(event.call);
        line = describeCalls();
        break;
      case 'call-end':
        // Pages that the server names itself end a call that never started.
        if (ended < calls.length) ended += 1;
        line = describeCalls();
        break;
      case 'usage-report':
      case 'notice':
      case 'turn-end':
        break;
    }
    return line;
  };
}

/** One call in plain words, ending in an ellipsis: it is going on. */
function describe({ name, arguments: args, scope }: Call): PlainText {
  if (name === 'web_search' && typeof args.query === 'string')
    return plain`Searching ${scope ?? 'the web'} for "${inertText(args.query, MAX_OBJECT_CHARS)}"…`;
  if (name === 'web_fetch' && typeof args.url === 'string')
    return plain`Reading ${inertText(hostOf(args.url), MAX_OBJECT_CHARS)}…`;
  if (name === 'search_documents' && typeof args.query === 'string')
    return plain`Searching your documents for "${inertText(args.query, MAX_OBJECT_CHARS)}"…`;
  if (name === 'read_document' && typeof args.path === 'string')
    return readingFile(args.path.slice(args.path.lastIndexOf('/') + 1));
  if (name === ATTACHED_FILE && typeof args.name === 'string') return readingFile(args.name);
  return plain`Running ${inertText(name, MAX_OBJECT_CHARS)}…`;
}

/** `Reading notes.txt…`, also while the file is read from the disk, before the agent loop begins. */
export function readingFile(name: string): PlainText {
  return plain`Reading ${inertText(name, MAX_OBJECT_CHARS)}…`;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
