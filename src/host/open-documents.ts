import { environment, getPreferenceValues } from '@vicinae/api';

import { createDocuments, type Documents, type DocumentsOptions } from './documents/documents';
import { readPreferences, type Preferences } from './preferences';

/** The person's documents as this launch knows them. */
interface OpenedDocuments {
  documents: Documents;
  /** The text of all documents goes to the model server, which finds them by meaning. */
  areEmbedded: boolean;
}

/** Documents without a chat: for the command that shows them. Nothing is started before something is asked of them. */
export function openDocuments(): OpenedDocuments {
  const { supportPath, assetsPath } = environment;
  const { preferences } = readPreferences(getPreferenceValues());
  return {
    documents: createDocuments(documentsOptions(preferences, { supportPath, assetsPath })),
    areEmbedded: preferences.embeddingModel !== '',
  };
}

/** What the preferences say of documents, for every command alike. */
export function documentsOptions(
  { documents, embeddingModel, modelServer, address, apiKey }: Preferences,
  paths: Pick<DocumentsOptions, 'supportPath' | 'assetsPath'>,
): DocumentsOptions {
  return {
    ...paths,
    folder: documents,
    embedding: { kind: modelServer, address, apiKey, model: embeddingModel },
  };
}
