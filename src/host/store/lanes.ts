import type { Conversation } from '../../lib/types';
import type { RecordWriter, SaveOutcome } from './writer';

/** The writes of one conversation, in order. */
interface Lane {
  tail: Promise<unknown>;
  /** The save at the end of the lane that has not begun: a later one replaces what it will write. */
  waiting: { next: { conversation: Conversation }; outcome: Promise<SaveOutcome> } | undefined;
  /** Grows with every saveSync; saves that were asked for before it must not be written after it. */
  era: number;
  lastSync: SaveOutcome;
}

const CLOSED = { kind: 'closed' } as const;

/** Puts the reads and writes of each conversation in the order in which they were asked for. */
export interface Lanes {
  /** Runs after everything already asked for this conversation. `job` must not reject. */
  inLane<T>(id: string, job: () => T | Promise<T>): Promise<T>;
  /** Of the saves that wait only the latest is written. */
  save(conversation: Conversation): Promise<SaveOutcome>;
  /** At once, in place of every save that still waits or is under way. */
  saveSync(conversation: Conversation): SaveOutcome;
}

export function createLanes(
  writer: Pick<RecordWriter, 'write' | 'writeSync'>,
  isClosed: () => boolean,
): Lanes {
  const lanes = new Map<string, Lane>();

  function laneOf(id: string): Lane {
    const lane = lanes.get(id) ?? {
      tail: Promise.resolve(),
      waiting: undefined,
      era: 0,
      lastSync: CLOSED,
    };
    lanes.set(id, lane);
    return lane;
  }

  function saveFrom(lane: Lane, era: number, conversation: Conversation): Promise<SaveOutcome> {
    return writer.write(conversation, () => {
      if (lane.era !== era) return lane.lastSync;
      return isClosed() ? CLOSED : undefined;
    });
  }

  return {
    inLane(id, job) {
      const lane = laneOf(id);
      lane.waiting = undefined;
      const result = lane.tail.then(job);
      lane.tail = result;
      return result;
    },
    save(conversation) {
      const lane = laneOf(conversation.id);
      if (lane.waiting !== undefined) {
        lane.waiting.next.conversation = conversation;
        return lane.waiting.outcome;
      }
      const { era } = lane;
      const next = { conversation };
      const outcome = lane.tail.then(() => {
        if (lane.waiting?.next === next) lane.waiting = undefined;
        return saveFrom(lane, era, next.conversation);
      });
      lane.waiting = { next, outcome };
      lane.tail = outcome;
      return outcome;
    },
    saveSync(conversation) {
      if (isClosed()) return CLOSED;
      const lane = laneOf(conversation.id);
      lane.era += 1;
      lane.waiting = undefined;
      lane.lastSync = writer.writeSync(conversation);
      return lane.lastSync;
    },
  };
}
