import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('cmark-gfm', ['--version']).status === 0;

/**
 * Why tests against the launcher's own parser cannot run here, or undefined. In CI the parser must be there:
 * a missing oracle fails instead of passing silently.
 */
export function cmarkMissing(): string | undefined {
  if (isInstalled) return undefined;
  if (process.env['CI'] === 'true')
    throw new Error('cmark-gfm is not installed; .ci/run installs it');
  return 'cmark-gfm is not installed (apt-get install cmark-gfm)';
}

/** HTML of a Markdown text as the launcher's parser makes it: cmark-gfm with tables and strikethrough. */
export function cmark(markdown: string): string {
  const { status, stdout, stderr } = spawnSync(
    'cmark-gfm',
    ['--unsafe', '-e', 'table', '-e', 'strikethrough'],
    { input: markdown, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`cmark-gfm failed: ${stderr}`);
  return stdout;
}
