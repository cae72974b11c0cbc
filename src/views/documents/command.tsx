import { useEffect, useState } from 'react';

import { openDocuments } from '../../host/open-documents';
import { DocumentsView } from '../documents-view';
import { ErrorBoundary } from '../error-boundary';

/** The command `documents`. It has a file of its own, so that the chat is not loaded with it. */
export function DocumentsCommand() {
  return (
    <ErrorBoundary>
      <Documents />
    </ErrorBoundary>
  );
}

function Documents() {
  const [{ documents, areEmbedded }] = useState(openDocuments);
  useEffect(
    () => () => {
      documents.close();
    },
    [documents],
  );
  return <DocumentsView documents={documents} areEmbedded={areEmbedded} />;
}
