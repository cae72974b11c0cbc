/* eslint-disable @typescript-eslint/no-misused-promises -- commands in the wild pass async handlers, and the host must take them */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { useEffect, useState } from 'react';

import {
  Action,
  ActionPanel,
  Alert,
  Clipboard,
  closeMainWindow,
  confirmAlert,
  Detail,
  environment,
  Form,
  getPreferenceValues,
  getSelectedText,
  Icon,
  List,
  LocalStorage,
  open,
  openExtensionPreferences,
  PopToRootType,
  showHUD,
  showToast,
  Toast,
  useNavigation,
  type LaunchProps,
} from '@vicinae/api';

/** Lines that outlive the command: what the launcher drops never reaches the test, a file does. */
function note(line: string): void {
  appendFileSync(join(environment.supportPath, 'notes.txt'), `${line}\n`);
}

/** Grows once every 5 ms until it says so. */
function useStream(words: string[]): string {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (count >= words.length) return;
    const timer = setTimeout(() => {
      setCount(count + 1);
    }, 5);
    return () => {
      clearTimeout(timer);
    };
  }, [count, words.length]);
  return words.slice(0, count).join('');
}

function Answer() {
  const { push, pop } = useNavigation();
  const markdown = useStream(['First ', 'words ', 'and ', 'more.\n\n', 'The end.']);
  return (
    <Detail
      markdown={markdown}
      navigationTitle="Answer"
      actions={
        <ActionPanel>
          <Action title="Back to the List" onAction={pop} />
          <Action
            title="Go On"
            onAction={() => {
              push(<Questions />);
            }}
          />
        </ActionPanel>
      }
    />
  );
}

/** Says something else in the place of what it said. */
function Rewrite() {
  const [text, setText] = useState('See [1');
  return (
    <Detail
      markdown={text}
      actions={
        <ActionPanel>
          <Action
            title="Rewrite"
            onAction={() => {
              setText('See (1)');
            }}
          />
        </ActionPanel>
      }
    />
  );
}

function Questions() {
  const [sent, setSent] = useState('');
  const [words, setWords] = useState('');
  return (
    <Form
      navigationTitle="Questions"
      actions={
        <ActionPanel>
          <Action.SubmitForm
            title="Send"
            onSubmit={(values) => {
              setSent(JSON.stringify(values));
              note(`form ${JSON.stringify(values)}`);
            }}
          />
        </ActionPanel>
      }
    >
      <Form.TextField id="name" title="Name" defaultValue="nobody" />
      <Form.TextArea
        id="words"
        title="Words"
        error={words === '' ? 'Say something' : undefined}
        onChange={setWords}
      />
      <Form.Checkbox id="sure" title="Sure" label="Sure?" />
      <Form.Description text={sent} />
    </Form>
  );
}

const ROWS = ['apple', 'banana', 'cherry'];

export default function Tour(props: LaunchProps<{ arguments: { question?: string } }>) {
  const { push } = useNavigation();
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useState<string | null>(null);
  const [stored, setStored] = useState('reading');
  const { greeting } = getPreferenceValues<{ greeting: string }>();

  useEffect(() => {
    const load = async (): Promise<void> => {
      const value: unknown = await LocalStorage.getItem('count');
      note(`missing is ${value === null ? 'null' : typeof value}`);
      const count = Number(value ?? 0) + 1;
      await LocalStorage.setItem('count', count);
      setStored(`launch ${count}`);
    };
    load().catch((error: unknown) => {
      note(String(error));
    });
    return () => {
      note('cleanup ran');
      void LocalStorage.setItem('cleanup', 'lost').then(() => {
        note('a request settled after unload');
      });
      setTimeout(() => {
        note('thread still lives');
      }, 20);
    };
  }, []);

  const edit = (
    <ActionPanel>
      <ActionPanel.Section title="Main">
        {search === '' ? (
          <Action
            title="Open Answer"
            icon={Icon.Book}
            onAction={() => {
              push(<Answer />);
            }}
          />
        ) : (
          <Action
            title="Ask"
            onAction={() => {
              note(`asked ${JSON.stringify(search)}`);
              setSearch('');
            }}
          />
        )}
        <Action
          title="Copy"
          shortcut="copy"
          onAction={async () => {
            await Clipboard.copy({ text: 'plain', html: '<b>plain</b>' });
            await showToast({ title: 'Copied', message: 'as text', style: Toast.Style.Success });
          }}
        />
      </ActionPanel.Section>
      <ActionPanel.Submenu title="Open Source">
        <Action
          title="[1] First"
          onAction={() => {
            void open('https://a.example/1');
          }}
        />
        <Action.OpenInBrowser title="[2] Second" url="https://b.example/2" />
      </ActionPanel.Submenu>
      <ActionPanel.Section title="Other">
        <Action.Push
          title="Questions"
          target={<Questions />}
          shortcut={{ modifiers: ['cmd'], key: 'q' }}
        />
        <Action.Push title="Show Rewrite" target={<Rewrite />} />
        <Action
          title="Delete"
          shortcut={{ modifiers: ['ctrl', 'shift'], key: 'x' }}
          onAction={async () => {
            const sure = await confirmAlert({
              title: 'Delete it?',
              message: 'It is gone then.',
              primaryAction: { title: 'Delete', style: Alert.ActionStyle.Destructive },
            });
            note(`sure ${sure}`);
          }}
        />
        <Action title="Preferences" onAction={() => void openExtensionPreferences()} />
        <Action title="Say and Leave" onAction={() => void showHUD('Bye')} />
        <Action
          title="Leave for Good"
          onAction={() => void closeMainWindow({ popToRootType: PopToRootType.Immediate })}
        />
        <Action
          title="Selected Text"
          onAction={async () => {
            note(`selected ${await getSelectedText()}`);
          }}
        />
        <Action
          title="Throw"
          onAction={() => {
            throw new Error('thrown in an action');
          }}
        />
        <Action
          title="Reject Later"
          onAction={() => {
            void new Promise((_resolve, reject) =>
              setTimeout(() => {
                reject(new Error('rejected late'));
              }, 5),
            );
          }}
        />
        <Action
          title="Reject Slowly"
          onAction={async () => {
            await new Promise((wake) => setTimeout(wake, 120));
            throw new Error('rejected after the handler was waited for');
          }}
        />
        <Action
          title="Exit"
          onAction={() => {
            process.exit(3);
          }}
        />
        <Action
          title="Print"
          onAction={() => {
            console.log('printed words');
          }}
        />
      </ActionPanel.Section>
    </ActionPanel>
  );
  return (
    <List
      filtering={false}
      isShowingDetail
      searchText={search}
      onSearchTextChange={(words) => {
        // An input that refuses digits: the text in the tree wins over the typed one.
        setSearch(words.replace(/\d/g, ''));
      }}
      onSelectionChange={setSelected}
      searchBarPlaceholder="Ask anything"
      navigationTitle={`Tour (${stored})`}
      actions={edit}
    >
      <List.Section title="Fruit">
        {ROWS.map((row) => (
          <List.Item
            key={row}
            id={row}
            title={`${greeting} ${row}`}
            subtitle={props.arguments.question ?? props.fallbackText}
            icon={row === selected ? Icon.CheckCircle : Icon.SpeechBubble}
            accessories={[{ text: 'ripe' }, { tag: { value: 'new', color: 'red' } }]}
            detail={
              row === selected ? <List.Item.Detail markdown={`**${row}** is a fruit`} /> : undefined
            }
          />
        ))}
      </List.Section>
    </List>
  );
}
