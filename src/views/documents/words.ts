import { plain, type PlainText } from '../../lib/render';

/** What Lam reads, as a person names it. */
export const KINDS = plain`PDF, Word, OpenDocument, EPUB, HTML, Markdown and other text`;

const KEPT = plain`Lam reads the documents in the folder (${KINDS}), and keeps their text and an index on this machine.`;

/** What choosing a folder means, before anything is read. */
export const PRIVACY: PlainText = plain`${KEPT} The model on your server is shown passages that fit your question, and can read on in these files.`;

/** The same when documents are found by meaning too. */
export const EMBEDDED_PRIVACY: PlainText = plain`${KEPT} An embedding model is set in the preferences: the text of all documents goes to your model server once. The model there is shown passages that fit your question, and can read on in these files.`;
