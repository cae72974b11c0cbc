import { BUILDER_TIME } from '../support/builders';
import { createLedger, type Findings } from './ledger';
import { runWriter } from './writer-process';

/** What was found after all kills. */
export interface KillReport extends Findings {
  kills: number;
}

/**
 * Starts a writer again and again on one store, kills each at another moment, and after each kill holds the store to what
 * the writers were told.
 *
 * @param onKill told after each kill
 */
export async function killWriters(
  writerPath: string,
  supportPath: string,
  kills: number,
  onKill: (report: KillReport) => void = () => undefined,
): Promise<KillReport> {
  const ledger = createLedger();
  const report: KillReport = { kills: 0, turns: 0, lost: [], corrupt: [] };
  for (let number = 1; number <= kills; number += 1) {
    // Steps of a prime, so that the moments spread over 97 ms and come in no order.
    const killAfterMs = (number * 37) % 97;
    const launch = ['mixed', supportPath, `launch-${number}`];
    ledger.enter(await runWriter(writerPath, launch, killAfterMs));
    const found = await ledger.check(supportPath, BUILDER_TIME + number * 60_000 + 30_000);
    report.kills = number;
    report.turns += found.turns;
    report.lost.push(...found.lost.map((what) => `kill ${number}: ${what}`));
    report.corrupt.push(...found.corrupt.map((what) => `kill ${number}: ${what}`));
    onKill(report);
  }
  return report;
}
