import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('pdftotext', ['-v']).status === 0;

/**
 * Why tests against another PDF reader cannot run here, or undefined. In CI it must be there: a missing oracle fails
 * instead of passing silently.
 */
export function popplerMissing(): string | undefined {
  if (isInstalled) return undefined;
  if (process.env['CI'] === 'true')
    throw new Error('pdftotext is not installed; .ci/run installs it');
  return 'pdftotext is not installed (apt-get install poppler-utils)';
}

/** The text of each page of a PDF file as poppler reads it, in the order the file has it. */
export function pdfToText(file: Uint8Array): string[] {
  const { status, stdout, stderr } = spawnSync('pdftotext', ['-raw', '-enc', 'UTF-8', '-', '-'], {
    input: file,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`pdftotext failed: ${stderr}`);
  return stdout.split('\f').slice(0, -1);
}
