import { List, type Icon } from '@vicinae/api';
import { useState } from 'react';

import type { Folder } from '../host/documents/folders';
import type { DocumentFile, DocumentState, DocumentsStatus } from '../host/documents/status';
import { escapeMarkdown } from '../lib/code';
import { inertText, plain, type PlainText } from '../lib/render';
import {
  fileFact,
  fileMarkdown,
  folderFact,
  folderMarkdown,
  titleOf,
  type Fact,
} from './documents/describe';
import type { DocumentsDesk } from './documents/port';
import { ListActions, ProblemActions, RowActions } from './documents/row-actions';
import { countIn, fileSections, foldersWith, number, unlistedIn } from './documents/rows';
import { useDeeds } from './documents/use-deeds';
import { useDocuments } from './documents/use-documents';
import { EMBEDDED_PRIVACY, PRIVACY } from './documents/words';
import { ICONS, STATE_ICONS } from './icons';
import { oneLine } from './row-text';

const FILE_ICONS: Record<DocumentState, Icon> = {
  indexed: ICONS.open,
  pending: ICONS.waiting,
  skipped: ICONS.stop,
  failed: STATE_ICONS.failed,
};

interface Props {
  documents: DocumentsDesk;
  /** The text of all documents goes to the model server, which finds them by meaning. */
  areEmbedded?: boolean;
}

/** The folders whose documents Lam may search, and what became of each file in them. */
export function DocumentsView({ documents: desk, areEmbedded = false }: Props) {
  const { folders, status, reload } = useDocuments(desk);
  const privacy = areEmbedded ? EMBEDDED_PRIVACY : PRIVACY;
  const deeds = useDeeds(desk, { reload, privacy });
  const [query, setQuery] = useState('');
  const [selectedId, setSelectedId] = useState<string>();

  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const shownFolders = foldersWith(folders, words);
  const sections = status === undefined ? [] : fileSections(status, words);
  const problems = words.length === 0 ? problemsOf(status) : [];
  const unlisted = status === undefined ? 0 : unlistedIn(status);
  const notes = new Map(status?.folders?.map(({ path, reason }) => [path, reason]));
  const ids = [
    ...problems.map(({ id }) => id),
    ...shownFolders.map(folderId),
    ...sections.flatMap(({ files }) => files.map(fileId)),
  ];
  const selected = ids.find((id) => id === selectedId) ?? ids[0];
  const listActions = <ListActions deeds={deeds} hasFolders={folders.length > 0} />;
  /** Only the selected row carries a document: every frame ships them all. */
  const detailOf = (id: string, markdown: () => string) =>
    deeds.isDetailed && id === selected ? <List.Item.Detail markdown={markdown()} /> : undefined;

  return (
    <List
      filtering={false}
      onSearchTextChange={setQuery}
      onSelectionChange={(id) => {
        setSelectedId(id);
      }}
      isLoading={folders.length > 0 && (deeds.isLooking || status?.state !== 'idle')}
      isShowingDetail={deeds.isDetailed && ids.length > 0}
      navigationTitle={folders.length === 0 ? plain`Documents` : titleOf(status, deeds.isLooking)}
      searchBarPlaceholder="Find a folder or a file…"
      actions={listActions}
    >
      {ids.length === 0 && (
        <List.EmptyView
          icon={ICONS.documents}
          {...(folders.length === 0
            ? { title: plain`Choose a folder to ask about`, description: privacy }
            : nothingFound(query, unlisted))}
          actions={listActions}
        />
      )}
      {problems.map(({ id, text }) => (
        <List.Item
          key={id}
          id={id}
          icon={ICONS.warning}
          title={oneLine(text)}
          detail={detailOf(id, () => escapeMarkdown(inertText(text, 1_000)))}
          actions={
            <ProblemActions
              deeds={deeds}
              hasFolders={folders.length > 0}
              isFixedInPreferences={id === EMBEDDING_ID}
            />
          }
        />
      ))}
      {shownFolders.length > 0 && (
        <List.Section title="Folders">
          {shownFolders.map((folder) => {
            const id = folderId(folder);
            const note = notes.get(folder.path);
            const isWhole = folder.problem === undefined && note === undefined;
            const facts = {
              count:
                status === undefined ? undefined : countIn(folder, status, folders.length === 1),
              note,
              isThere: folder.problem === undefined || desk.isThere(folder.path),
            };
            return (
              <List.Item
                key={id}
                id={id}
                icon={isWhole ? ICONS.documents : ICONS.warning}
                title={oneLine(folder.name)}
                {...(deeds.isDetailed ? {} : { subtitle: inertText(folder.path, 200) })}
                accessories={accessory(folderFact(folder, facts, deeds.isDetailed))}
                detail={detailOf(id, () => folderMarkdown(folder, facts))}
                actions={
                  <RowActions
                    deeds={deeds}
                    path={folder.path}
                    folder={folder}
                    isSelected={id === selected}
                  />
                }
              />
            );
          })}
        </List.Section>
      )}
      {sections.map(({ id: sectionId, title, files, more }) => (
        <List.Section key={sectionId} title={title}>
          {files.map((file) => {
            const id = fileId(file);
            const { name, path, state } = file;
            const cut = name.lastIndexOf('/');
            return (
              <List.Item
                key={id}
                id={id}
                icon={FILE_ICONS[state]}
                title={oneLine(name.slice(cut + 1))}
                {...(deeds.isDetailed
                  ? {}
                  : { subtitle: inertText(name.slice(0, Math.max(0, cut)), 200) })}
                accessories={accessory(fileFact(file, deeds.isDetailed))}
                detail={detailOf(id, () => fileMarkdown(file))}
                actions={<RowActions deeds={deeds} path={path} isSelected={id === selected} />}
              />
            );
          })}
          {more !== undefined && (
            <List.Item
              id={`more:${sectionId}`}
              icon={ICONS.documents}
              title={more}
              actions={listActions}
            />
          )}
        </List.Section>
      ))}
      {words.length > 0 && ids.length > 0 && unlisted > 0 && (
        <List.Section title="Not Listed">
          <List.Item
            id="unlisted"
            icon={ICONS.documents}
            title={plain`${number(unlisted)} more files; the chat finds what is in them`}
            actions={listActions}
          />
        </List.Section>
      )}
    </List>
  );
}

const EMBEDDING_ID = 'embedding';

/** Sentences about all of it, each for a row of its own. */
function problemsOf(status: DocumentsStatus | undefined): { id: string; text: string }[] {
  const { problem, embeddingProblem } = status ?? {};
  return [
    ...(problem === undefined ? [] : [{ id: 'problem', text: problem }]),
    ...(embeddingProblem === undefined ? [] : [{ id: EMBEDDING_ID, text: embeddingProblem }]),
  ];
}

const folderId = ({ path }: Folder): string => `folder:${path}`;
const fileId = ({ path }: DocumentFile): string => `file:${path}`;

const accessory = (fact: Fact) => (fact.text === '' ? [] : [fact]);

/** The launcher hides it while the list is loading and nothing is typed. */
function nothingFound(
  query: string,
  unlisted: number,
): { title: PlainText; description: PlainText } {
  const typed = inertText(query, 60);
  const asked = plain`What is in them is found in Chat with Lam.`;
  return {
    title: plain`Nothing found`,
    description:
      unlisted === 0
        ? plain`No folder or file has “${typed}” in its name. ${asked}`
        : plain`No folder or file listed here has “${typed}” in its name; ${number(unlisted)} more files are not listed. ${asked}`,
  };
}
