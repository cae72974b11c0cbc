import type { Conversation, Source, ToolCallRecord, Turn } from '../../lib/types';

/** 2026-01-01T00:00:00Z, the time every builder starts from. */
export const BUILDER_TIME = 1_767_225_600_000;

export function makeSource(overrides: Partial<Source> = {}): Source {
  const index = overrides.index ?? 1;
  return {
    index,
    title: `Page ${index}`,
    url: `https://page-${index}.example/`,
    kind: 'web',
    status: 'read',
    ...overrides,
  };
}

export function makeToolCall(overrides: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    name: 'web_fetch',
    arguments: { url: 'https://page-1.example/' },
    result: '[1] Page 1\nURL: https://page-1.example/\n\nSome text.',
    isError: false,
    sources: [makeSource()],
    statuses: [{ index: 1, status: 'read' }],
    ...overrides,
  };
}

/** A turn that has ended well; `state: 'running'` leaves `endedAt` out unless it is given. */
export function makeTurn(overrides: Partial<Turn> = {}): Turn {
  const turn: Turn = {
    id: 'turn-1',
    question: 'How long does green tea steep?',
    response: 'Two minutes [1].',
    reasoning: 'The page says two minutes.',
    toolCalls: [makeToolCall()],
    state: 'done',
    model: 'small-model',
    startedAt: BUILDER_TIME,
    usage: { inputTokens: 120, outputTokens: 12 },
    ...overrides,
  };
  return turn.state === 'running' ? turn : { endedAt: turn.startedAt + 3_000, ...turn };
}

/** A conversation of one finished turn; `updatedAt` follows the last turn. */
export function makeConversation(overrides: Partial<Conversation> = {}): Conversation {
  const turns = overrides.turns ?? [makeTurn()];
  const last = turns.at(-1);
  return {
    version: 2,
    id: 'tea',
    title: 'Tea',
    createdAt: BUILDER_TIME,
    updatedAt: last?.endedAt ?? last?.startedAt ?? BUILDER_TIME,
    ...overrides,
    turns,
  };
}
