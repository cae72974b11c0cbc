import { beside, chooseFolder, showEvidence } from '../__tests__/support/document-pane';
import type { OpenPaneOptions, Pane } from '../__tests__/support/pane';

import { PAPERS_QUESTION } from './papers';
import { follow, heading, note, showBeside, showRows, type Output } from './screen';

/** Where the scene is played. */
interface DocumentsStage {
  open: (more?: Partial<OpenPaneOptions>) => Promise<Pane>;
  output: Output;
  /** The folder that is chosen. */
  papers: string;
  /** Milliseconds for the answer. */
  answerMs: number;
}

/** What must stand beside a row of the evidence, besides its own words. */
const EXPECTED = [
  ['the Cloud Garden yielded', 'Word for word in what was read', 'report.pdf · p. 2'],
  ['Das Wasser soll 95 Grad', 'Close, not word for word', 'Wasser.md · ¶2'],
  ['In January', '', 'report.pdf · p. 1'],
] as const;

/** Throws with a sentence if the demo does not show what it says it shows. */
function expectThat(isSo: boolean, expected: string): void {
  if (!isSo) throw new Error(`The demo expected ${expected}; see above for what Lam shows.`);
}

/** A person chooses a folder, asks about it, looks at what the answer rests on, and copies it. */
export async function playDocuments({
  open,
  output,
  papers,
  answerMs,
}: DocumentsStage): Promise<void> {
  heading(output, 'Your own documents: a folder is chosen in Lam Documents');
  const documents = await open({ command: 'documents' });
  await chooseFolder(documents, papers);
  showRows(output, documents);
  await documents.unload();

  heading(output, 'A question about them');
  const pane = await open();
  note(output, `> ${PAPERS_QUESTION}   ↵`);
  await pane.type(PAPERS_QUESTION);
  await pane.enter();
  await follow(output, pane, answerMs);
  const answer = pane.list().selected?.detail ?? '';
  expectThat(answer.includes('The garden report, p. 1, 2'), 'the pages of the report in the list');

  heading(output, 'Show Evidence: what the answer rests on');
  note(
    output,
    'Beside each row stand the words of the source, as they were read, and where they stand.',
  );
  await showEvidence(pane);
  await showEachRow(pane, output);

  heading(output, 'The answer with its evidence, copied for others');
  await pane.action('Copy Answer with Evidence');
  await pane.waitFor(() => pane.clipboard !== null, { label: 'the copy' });
  const text = pane.clipboard?.text ?? '';
  output.write(`${text}\n\n`);
  expectThat(text.includes('quotations: 1 verbatim'), 'a quotation that was found word for word');
  expectThat(text.includes('1 not word for word'), 'a quotation that is not word for word');
  expectThat(!text.includes(papers), 'a copy without the path of the folder');
  note(output, 'The quotations were compared word for word, and no path of your files is in it.');
}

/** Selects the rows of the evidence one after the other, and prints each with what stands beside it. */
async function showEachRow(pane: Pane, output: Output): Promise<void> {
  note(output, pane.list().navigationTitle ?? '');
  const seen: string[] = [];
  for (const [place, { id, title, section = '' }] of pane.list().items.entries()) {
    await pane.select(place);
    await pane.waitFor(
      () => pane.list().selected?.id === id && beside(pane) !== '' && beside(pane) !== seen.at(-1),
      { label: `what stands beside “${title}”` },
    );
    const text = beside(pane);
    seen.push(text);
    output.write('\n');
    note(output, `${section}: ${title}`);
    showBeside(output, text);
  }
  for (const [words, status, source] of EXPECTED)
    expectThat(
      seen.some((text) => [words, status, source].every((part) => text.includes(part))),
      `${status === '' ? 'a passage' : `“${status}”`} from ${source}`,
    );
}
