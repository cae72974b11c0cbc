import type { ChatEvent, ChatRequest } from '../../../lib/types';

/** A question without tools, or with what the test cares about. */
export function question(overrides: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'scripted',
    messages: [{ role: 'user', content: 'Why is the sea salty?' }],
    tools: [],
    ...overrides,
  };
}

/** All events of a stream. */
export async function collect(stream: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The events with neighbouring deltas of one kind joined: what does not depend on how the bytes were cut. */
export function merged(events: readonly ChatEvent[]): ChatEvent[] {
  const result: ChatEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (
      last &&
      (event.type === 'text-delta' || event.type === 'reasoning-delta') &&
      last.type === event.type
    )
      result[result.length - 1] = { ...last, text: last.text + event.text };
    else result.push(event);
  }
  return result;
}
