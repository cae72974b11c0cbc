import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { killWriters, type KillReport } from './kills';
import { buildWriter } from './writer-process';

/**
 * `npm run test:kill [kills]`: kills a thousand writing processes at different moments, and after each holds the store to what
 * they had been told. Takes some minutes; exits with 1 when anything was lost.
 */

const [kills = '1000'] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const sentence = ({ kills: done, turns, lost, corrupt }: KillReport): string =>
  `${done} kills: ${turns} turns checked, ${lost.length} lost, ${corrupt.length} corrupt`;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lam-kill-'));
  try {
    const writerPath = await buildWriter(folder);
    const report = await killWriters(writerPath, join(folder, 'store'), Number(kills), (so) => {
      const mark = `kill ${so.kills}:`;
      for (const what of [...so.lost, ...so.corrupt]) if (what.startsWith(mark)) say(what);
      if (so.kills % 50 === 0 && so.kills < Number(kills)) say(sentence(so));
    });
    say(sentence(report));
    if (report.lost.length + report.corrupt.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
