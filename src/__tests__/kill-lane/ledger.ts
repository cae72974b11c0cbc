import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { createConversationStore } from '../../host/store/conversations';
import { readRecordFile, type Disk } from '../../host/store/record-file';
import { ConversationSchema } from '../../lib/schemas';
import type { Conversation } from '../../lib/types';
import type { Change, WriterFact } from '../support/store-writer';

/** What must be true of one conversation. */
interface Account {
  /** Ids of turns that were finished and saved. */
  finished: Set<string>;
  /** Turns that were saved while they ran, and how much of their answers. */
  running: Map<string, number>;
  /** Each of them is right; a writer gives a new conversation its id as title. */
  titles: string[];
  /** The last change that was done, and one that was begun and perhaps not done. */
  last: Change | undefined;
  begun: Change | undefined;
}

/** What a check found. */
export interface Findings {
  /** Finished turns that were there. */
  turns: number;
  /** Sentences. */
  lost: string[];
  corrupt: string[];
}

/** Keeps account of what writers said, and holds a store to it. */
export interface Ledger {
  enter(facts: readonly WriterFact[]): void;
  check(supportPath: string, now: number): Promise<Findings>;
}

export function createLedger(): Ledger {
  const accounts = new Map<string, Account>();

  function accountOf(id: string): Account {
    const known = accounts.get(id);
    if (known !== undefined) return known;
    const account: Account = {
      finished: new Set(),
      running: new Map(),
      titles: [id],
      last: undefined,
      begun: undefined,
    };
    accounts.set(id, account);
    return account;
  }

  function enter(facts: readonly WriterFact[]): void {
    for (const {
      outcome,
      id: name = '',
      running,
      length = 0,
      done,
      intent,
      change,
      title,
    } of facts) {
      const id = name.replace(/\.\d+$/, ''); // in the trash, one that was deleted again has a number behind it
      if (outcome !== 'saved') throw new Error(`A writer was told “${outcome}” (${id}).`);
      const account = accountOf(id);
      if (running !== undefined) account.running.set(running, length);
      if (done !== undefined) {
        account.finished.add(done);
        account.running.delete(done);
      }
      if (intent !== undefined) account.begun = intent;
      if (intent === 'rename' && title !== undefined) account.titles.push(title);
      if (change === undefined) continue;
      account.begun = undefined;
      if (change !== 'rename') account.last = change;
      else if (title !== undefined) account.titles = [title];
      if (change === 'purge') accounts.delete(id);
    }
  }

  async function check(supportPath: string, now: number): Promise<Findings> {
    const findings: Findings = { turns: 0, lost: [], corrupt: [] };
    await checkLists(supportPath, now, findings);
    const live = recordsIn(join(supportPath, 'conversations'), /^(.+)\.json$/, '');
    const trashed = recordsIn(join(supportPath, 'trash'), /^([\w-]+)(?:\.\d+)?$/, 'record.json');
    for (const [id, disk] of [...live, ...trashed]) checkRecord(id, disk, findings);
    for (const [id, account] of accounts) {
      const where = placesOf(account).map((place) => (place === 'live' ? live : trashed).get(id));
      const disk = where.find((found) => found !== undefined);
      if (account.begun === 'purge' && disk === undefined) {
        accounts.delete(id);
        continue;
      }
      if (disk?.kind !== 'record') {
        if (account.finished.size > 0) findings.lost.push(`${id} is not where it belongs`);
        continue;
      }
      checkAccount(id, account, disk.record.conversation, findings);
      // What was begun has been done or not: the next launch goes on from what there is.
      if (account.begun !== undefined) account.last = live.has(id) ? 'restore' : 'delete';
      account.begun = undefined;
    }
    return findings;
  }

  return { enter, check };
}

/** Where a conversation may be. */
function placesOf({ last, begun }: Account): ('live' | 'trash')[] {
  const isDeleted = last === 'delete';
  if (begun === 'delete' || begun === 'restore') return ['live', 'trash'];
  return isDeleted ? ['trash'] : ['live'];
}

function recordsIn(folder: string, pattern: RegExp, file: string): Map<string, Disk> {
  const records = new Map<string, Disk>();
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return records; // nothing was deleted so far
  }
  for (const name of names) {
    const id = pattern.exec(name)?.[1];
    if (id === undefined) continue;
    const disk = readRecordFile(join(folder, name, file), id);
    // A folder of the trash without a record is a deletion that was killed before its rename.
    if (disk.kind !== 'none') records.set(id, disk);
  }
  return records;
}

function checkRecord(id: string, disk: Disk, { corrupt }: Findings): void {
  if (disk.kind === 'unreadable') corrupt.push(`${id}: ${disk.reason}`);
  if (disk.kind !== 'record') return;
  corrupt.push(...disk.record.problems.map((problem) => `${id}: ${problem}`));
  if (!ConversationSchema.safeParse(disk.record.conversation).success)
    corrupt.push(`${id} does not fit its schema`);
  const running = disk.record.conversation.turns.filter(({ state }) => state === 'running');
  if (running.length > 1) corrupt.push(`${id} has ${running.length} running turns`);
}

function checkAccount(
  id: string,
  { finished, running, titles }: Account,
  { title, turns }: Conversation,
  findings: Findings,
): void {
  const states = new Map(turns.map((turn) => [turn.id, turn]));
  for (const turn of finished) {
    if (states.get(turn)?.state === 'done') findings.turns += 1;
    else findings.lost.push(`the finished turn ${turn} of ${id}`);
  }
  for (const [turn, length] of running) {
    if ((states.get(turn)?.response.length ?? -1) < length)
      findings.lost.push(`a part of the running turn ${turn} of ${id}`);
  }
  if (!titles.includes(title))
    findings.lost.push(`the title of ${id}: “${title}” is none of ${titles.join(', ')}`);
}

/** What a launch shows first must be what there is. */
async function checkLists(supportPath: string, now: number, findings: Findings): Promise<void> {
  const store = createConversationStore({ supportPath, launchId: 'checker', now: () => now });
  const first = await store.recent();
  const all = await store.list();
  store.close();
  findings.corrupt.push(...all.problems.map(({ problem }) => problem));
  if (JSON.stringify(first.entries) !== JSON.stringify(all.entries))
    findings.lost.push('a row of the recent conversations');
}
