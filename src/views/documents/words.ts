import { plain } from '../../lib/render';

/** What choosing a folder means, before anything is read. */
export const PRIVACY = plain`Lam keeps the text of these files and an index on this machine. The model on your server is shown passages that fit your question, and can read on in these files.`;

/** The same when documents are found by meaning too. */
export const EMBEDDED_PRIVACY = plain`Lam keeps the text of these files and an index on this machine. An embedding model is set in the preferences: the text of all documents goes to your model server once. The model there is shown passages that fit your question, and can read on in these files.`;
