import { meanings } from './hybrid';
import type { Semantic } from './semantic';
import type { Shelves } from './shelves';
import type { TextStore } from './text-store';

/** When vectors are made: beside the reading, since it may take hours; what is new meanwhile is found by its words. */
export interface EmbeddingSchedule {
  /** Begins unless it is under way, or the vectors of this state of the index are there. */
  start(): void;
  /** When the vectors that are being made are made, or could not be. */
  done(): Promise<void>;
  /** Ends what is under way, and begins nothing more. */
  close(): Promise<void>;
}

export interface EmbeddingScheduleOptions {
  /** Undefined = documents are found by their words alone. */
  semantic: Semantic | undefined;
  shelves: Pick<Shelves, 'all'>;
  texts: Pick<TextStore, 'get'>;
}

export function createEmbeddingSchedule({
  semantic,
  shelves,
  texts,
}: EmbeddingScheduleOptions): EmbeddingSchedule {
  const controller = new AbortController();
  let running: Promise<void> | undefined;
  /** Names of the segments whose vectors are there. */
  let embedded = '';

  return {
    start() {
      if (semantic === undefined || running !== undefined || controller.signal.aborted) return;
      const state = shelves
        .all()
        .map(({ name }) => name)
        .join();
      if (state === embedded && !semantic.isStale()) return;
      const { keys, missing } = meanings(shelves, ({ path, version }) => texts.get(path, version));
      running = semantic.update(keys, missing, controller.signal).then((isDone) => {
        running = undefined;
        embedded = isDone ? state : '';
      });
    },
    done: () => running ?? Promise.resolve(),
    async close() {
      controller.abort();
      await running;
    },
  };
}
