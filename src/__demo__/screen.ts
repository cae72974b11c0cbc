import { drawPane } from '../__tests__/support/pane-model';
import type { Pane } from '../__tests__/support/pane';

/** Where the demo prints, and whether that place understands hyperlinks. */
export interface Output {
  write(text: string): void;
  isTerminal: boolean;
}

const ESC = '\u001B';

/** A link as a terminal shows it: a hyperlink (OSC 8), or its text and address where escapes would be noise. */
function terminalLink({ isTerminal }: Output, text: string, href: string): string {
  return isTerminal ? `${ESC}]8;;${href}${ESC}\\${text}${ESC}]8;;${ESC}\\` : `${text}(${href})`;
}

/** What the launcher draws for a Markdown text, with its links in place. */
function drawn(output: Output, markdown: string): string {
  const { text, links } = drawPane(markdown);
  let out = '';
  let at = 0;
  for (const link of links) {
    const found = text.indexOf(link.text, at);
    if (found < 0) continue;
    out += text.slice(at, found) + terminalLink(output, link.text, link.href);
    at = found + link.text.length;
  }
  return out + text.slice(at);
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `  │ ${line}`))
    .join('\n');

export function heading(output: Output, title: string): void {
  output.write(`\n━━ ${title} ${'━'.repeat(Math.max(0, 70 - title.length))}\n\n`);
}

export function note(output: Output, text: string): void {
  output.write(`  ${text}\n`);
}

/** The exchange on screen: question, answer, list. */
export function showExchange(output: Output, pane: Pane): void {
  output.write(`${indent(drawn(output, pane.list().selected?.detail ?? ''))}\n`);
}

/** The window as a person sees it: search bar, rows, first action. */
export function showRows(output: Output, pane: Pane): void {
  const { items, selected } = pane.list();
  for (const { id, icon, title, accessories } of items) {
    const beside = accessories.map(({ text }) => text ?? '').join(' ');
    note(output, `${id === selected?.id ? '▸' : ' '} (${icon ?? ''}) ${title}  ${beside}`);
  }
  note(output, `↵ ${pane.actions()[0]?.title ?? ''}`);
}

/** Prints each new line of activity, and how far the answer has grown, until the running turn has ended. */
export async function follow(output: Output, pane: Pane, timeoutMs: number): Promise<void> {
  let activity = '';
  let length = 0;
  await pane.waitFor(
    () => {
      const { isLoading, navigationTitle = '', selected, items } = pane.list();
      const grown = selected?.detail?.length ?? 0;
      if (isLoading && navigationTitle !== activity && navigationTitle !== 'Chat with Lam') {
        activity = navigationTitle;
        note(output, `… ${activity}`);
      }
      if (isLoading && grown > length + 120) {
        length = grown;
        note(output, `… ${String(grown)} characters on screen`);
      }
      return !isLoading && items[0] !== undefined && items[0].icon !== 'circle-progress';
    },
    { label: 'the answer', timeoutMs },
  );
}
