import { Action, ActionPanel, Form } from '@vicinae/api';
import { useEffect, useMemo, useRef, useState } from 'react';

import type { ChatSession } from '../host/session';
import type { ComposeValues } from '../host/session/compose-draft';
import type { ComposeTarget } from '../host/session/composing';
import { MAX_FILES, tooMuch } from '../host/attachments/limits';
import type { CheckedFile, CheckOutcome } from '../host/attachments/port';
import { guarded, notify } from '../host/toast';
import { inertText, plain, type PlainText } from '../lib/render';
import { ICONS } from './icons';
import { modelGroups, modelTitle } from './model-names';
import { useChatState } from './use-chat-state';

interface Props {
  session: ChatSession;
  target: ComposeTarget;
  /** What the form begins with, see `ChatSession.openForm`. */
  initial: ComposeValues;
  /** The question was accepted. */
  onAsked: () => void;
}

/** A question of several lines, with files, another model, or without the web. Also where a question is edited. */
export function ComposeView({ session, target, initial, onAsked }: Props) {
  const state = useChatState(session);
  const current = state.server.kind === 'ready' ? state.server.model : '';
  const [values, setValues] = useState(initial);
  const newest = useRef(initial);
  const checked = useCheckedFiles(session, values.files, target);
  useEffect(
    () => () => {
      session.leaveForm(target);
    },
    [session, target],
  );
  const change = (patch: Partial<ComposeValues>) => {
    guarded('keep what you wrote', () => {
      // Two changes may come before the form is drawn again.
      const next = { ...newest.current, ...patch };
      newest.current = next;
      setValues(next);
      session.keepForm(target, next);
    })();
  };
  const problem = problemOf(values.files, checked);
  const submit = guarded('ask', () => {
    const files = values.files.flatMap((path) => {
      const file = checked.get(path);
      return file?.ok === true ? [file.file] : [];
    });
    // The launcher does not submit a form that shows an error.
    if (values.text.trim() === '') notify({ style: 'failure', title: 'Type a question first' });
    else if (files.length < values.files.length)
      notify({ style: 'failure', title: 'The files are still being looked at' });
    else if (session.askForm(target, values, files)) onAsked();
  });

  return (
    <Form
      navigationTitle={target.kind === 'edit' ? 'Edit Question' : 'Ask with Attachments'}
      actions={
        <ActionPanel>
          <Action.SubmitForm title="Ask" icon={ICONS.ask} onSubmit={submit} />
          <Action
            title={target.kind === 'edit' ? 'Reset to the Asked Question' : 'Clear Form'}
            icon={ICONS.retry}
            onAction={() => {
              change(session.freshForm(target));
            }}
          />
          {values.files.length > 0 && (
            <Action
              title="Remove All Files"
              icon={ICONS.delete}
              onAction={() => {
                change({ files: [] });
              }}
            />
          )}
        </ActionPanel>
      }
    >
      <Form.TextArea
        id="question"
        title="Question"
        value={values.text}
        onChange={(written) => {
          change({ text: written });
        }}
      />
      <Form.FilePicker
        id="files"
        title="Files and Images"
        info="Text, code, PDF, Word, OpenDocument, EPUB: numbered sources. Images go to the model as they are."
        allowMultipleSelection
        value={values.files}
        error={problem}
        onChange={(files) => {
          change({ files });
        }}
      />
      {values.files.map((path) => (
        <Form.Description key={path} title="" text={fileLine(path, checked.get(path))} />
      ))}
      <ImageNote session={session} values={values} checked={checked} />
      <Form.Dropdown
        id="model"
        title="Model"
        value={values.model}
        onChange={(model) => {
          if (model !== values.model) change({ model });
        }}
      >
        <Form.Dropdown.Item
          value=""
          title={
            current === ''
              ? plain`Same as the chat`
              : plain`Same as the chat (${inertText(current)})`
          }
        />
        {values.model !== '' && !state.models.some(({ id }) => id === values.model) && (
          <Form.Dropdown.Item value={values.model} title={inertText(values.model)} />
        )}
        {modelGroups(state.models, state.serverName).map(({ title, models }) => (
          <Form.Dropdown.Section key={title} title={title}>
            {models.map((model) => (
              <Form.Dropdown.Item key={model.id} value={model.id} title={modelTitle(model)} />
            ))}
          </Form.Dropdown.Section>
        ))}
      </Form.Dropdown>
      <Form.Checkbox
        id="web"
        title="Web"
        label="Search and read the web"
        value={values.web}
        onChange={(web) => {
          if (web !== values.web) change({ web });
        }}
      />
    </Form>
  );
}

/** Says before anything is sent that the model cannot see what is attached. */
function ImageNote({
  session,
  values,
  checked,
}: {
  session: ChatSession;
  values: ComposeValues;
  checked: ReadonlyMap<string, CheckOutcome>;
}) {
  const { server, models } = useChatState(session);
  const asked = values.model !== '' ? values.model : server.kind === 'ready' ? server.model : '';
  const isBlind = models.find(({ id }) => id === asked)?.canSeeImages === false;
  const hasImage = values.files.some((path) => {
    const file = checked.get(path);
    return file?.ok === true && file.file.kind === 'image';
  });
  if (!isBlind || !hasImage) return null;
  return (
    <Form.Description
      title="Note"
      text={plain`${inertText(asked)} cannot see images. Choose another model, or it will only be told that there is one.`}
    />
  );
}

/** What is known of each file, looked at as soon as it is chosen. */
function useCheckedFiles(
  session: ChatSession,
  files: readonly string[],
  target: ComposeTarget,
): ReadonlyMap<string, CheckOutcome> {
  const latest = useRef(files);
  useEffect(() => {
    latest.current = files;
  });
  const [checked, setChecked] = useState(() => knownFiles(target));
  const list = useMemo(() => JSON.stringify(files), [files]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const known = knownFiles(target);
    for (const path of latest.current.filter((each) => !known.has(each))) {
      session
        .checkFile(path, signal)
        .catch((): CheckOutcome => ({ ok: false, message: `${path} could not be looked at.` }))
        .then((file) => {
          if (!signal.aborted) setChecked((before) => new Map(before).set(path, file));
        })
        .catch(() => undefined);
    }
    return () => {
      controller.abort();
    };
  }, [session, list, target]);
  return checked;
}

/** Files of a question that is edited: Lam has what they held, whether they are still there or not. */
function knownFiles(target: ComposeTarget): ReadonlyMap<string, CheckOutcome> {
  const attachments = target.kind === 'edit' ? (target.turn.attachments ?? []) : [];
  return new Map(
    attachments.map((file): [string, CheckOutcome] => [
      file.path,
      { ok: true, file: { mediaType: '', ...file } },
    ]),
  );
}

/** What keeps the question from being sent; undefined if nothing does. */
function problemOf(
  files: readonly string[],
  checked: ReadonlyMap<string, CheckOutcome>,
): PlainText | undefined {
  if (files.length > MAX_FILES) return plain`At most ${MAX_FILES} files go with a question.`;
  const sound: CheckedFile[] = [];
  for (const path of files) {
    const file = checked.get(path);
    if (file?.ok === false) return inertText(file.message);
    if (file?.ok === true) sound.push(file.file);
  }
  const together = tooMuch(sound);
  return together === undefined ? undefined : inertText(together);
}

const KINDS = { text: 'text', pdf: 'PDF', image: 'image' } as const;

/** `notes.txt: text, 12 KB`, or what is wrong with it. */
function fileLine(path: string, file: CheckOutcome | undefined): PlainText {
  const name = inertText(path.slice(path.lastIndexOf('/') + 1));
  if (file === undefined) return plain`${name}: …`;
  if (!file.ok) return inertText(file.message);
  const { kind, size } = file.file;
  return plain`${name}: ${KINDS[kind]}, ${sizeOf(size)}`;
}

/** `812 bytes`, `12 KB`, `3.4 MB`. */
function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
