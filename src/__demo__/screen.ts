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

/** Signs for the icons of rows. */
const SIGNS: Partial<Record<string, string>> = {
  'check-circle': '✓',
  'circle-progress': '…',
  'x-mark-circle': '✗',
  stop: '■',
  warning: '⚠',
};

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

/** What stands beside a row, without blank lines. */
export function showBeside(output: Output, text: string): void {
  output.write(`${indent(text.replace(/\n{2,}/g, '\n'))}\n`);
}

/** An output in which a folder of this run is `…`: its name is another one each time. */
export const hiding = (output: Output, folder: string): Output => ({
  ...output,
  write: (text) => {
    output.write(text.replaceAll(folder, '…'));
  },
});

/** The window as a person sees it: search bar, rows, first action. */
export function showRows(output: Output, pane: Pane): void {
  const { items, selected } = pane.list();
  for (const { id, icon, title, accessories } of items) {
    const beside = accessories.map(({ text }) => text ?? '').join(' ');
    note(
      output,
      `${id === selected?.id ? '▸' : ' '} ${SIGNS[icon ?? ''] ?? '·'} ${title}  ${beside}`,
    );
  }
  note(output, `↵ ${pane.actions()[0]?.title ?? ''}`);
}

/**
 * Prints each new line of activity, then the exchange block by block, until the running turn has ended. What is on screen
 * only grows by appending, so every word is printed once.
 */
export async function follow(output: Output, pane: Pane, timeoutMs: number): Promise<void> {
  let activity = '';
  let printed = '';
  const print = (markdown: string): void => {
    const box = indent(drawn(output, markdown));
    if (box.startsWith(printed)) output.write(box.slice(printed.length));
    else output.write(`\n\n${box}`);
    printed = box;
  };
  await pane.waitFor(
    () => {
      const { isLoading, navigationTitle = '', selected, items } = pane.list();
      const detail = selected?.detail ?? '';
      const hasAnswer = detail.includes('\n\n');
      if (isLoading && !hasAnswer && navigationTitle !== activity) {
        activity = navigationTitle;
        note(output, `… ${activity}`);
      }
      const hasEnded = !isLoading && items[0] !== undefined && items[0].icon !== 'circle-progress';
      if (hasAnswer && !hasEnded) {
        if (printed === '') output.write('\n');
        // Whole blocks only: half of a bold word is drawn with its stars.
        print(detail.slice(0, detail.lastIndexOf('\n\n')));
      }
      return hasEnded;
    },
    { label: 'the answer', timeoutMs },
  );
  if (printed === '') output.write('\n');
  print(pane.list().selected?.detail ?? '');
  output.write('\n');
}
