import { useEffect, useState, type ReactNode } from 'react';

import { Action, ActionPanel, Form, Icon, List, type LaunchProps } from '@vicinae/api';

/** Views with something to choose or fill in, by the `question` argument. */
const VIEWS: Record<string, () => ReactNode> = {
  'own-choice': () => <Chooser defaultValue="large" />,
  'no-default': () => <Chooser />,
  'set-choice': () => <Chooser set="small" />,
  'stubborn-choice': () => <Chooser set="small" isStubborn />,
  'late-options': () => <LateOptions />,
  'unknown-choice': () => <Chooser set="gone" />,
  fields: () => <Fields />,
  controlled: () => <Controlled />,
  keys: () => <Keys />,
  loading: () => (
    <List isLoading onSearchTextChange={() => undefined}>
      <List.EmptyView title="Nothing" description="Not yet" />
    </List>
  ),
  icons: () => (
    <List>
      <List.Item id="a" title="Pictured" icon={Icon.Book} accessories={[{ icon: Icon.Number07 }]} />
    </List>
  ),
};

interface ChooserProps {
  defaultValue?: string;
  set?: string;
  /** Keeps the value that was set, whatever is chosen. */
  isStubborn?: boolean;
}

function Chooser({ defaultValue, set, isStubborn = false }: ChooserProps) {
  const [value, setValue] = useState(set);
  const [heard, setHeard] = useState<string[]>([]);
  return (
    <List
      onSearchTextChange={() => undefined}
      searchBarAccessory={
        <List.Dropdown
          tooltip="Model"
          placeholder="No model"
          defaultValue={defaultValue}
          value={value}
          onChange={(chosen) => {
            setHeard((before) => [...before, chosen]);
            if (set !== undefined && !isStubborn) setValue(chosen);
          }}
        >
          <List.Dropdown.Item title="Automatic" value="auto" />
          <List.Dropdown.Section title="Here">
            <List.Dropdown.Item title="Small one" value="small" />
            <List.Dropdown.Item title="Large one" value="large" icon={Icon.Book} />
          </List.Dropdown.Section>
        </List.Dropdown>
      }
    >
      <List.Item id="heard" title={heard.join(' ') || 'nothing'} />
    </List>
  );
}

/** The options come with the second frame. */
function LateOptions() {
  const [options, setOptions] = useState<string[]>([]);
  const [heard, setHeard] = useState<string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      setOptions(['one', 'two']);
    }, 40);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return (
    <List
      searchBarAccessory={
        <List.Dropdown
          onChange={(chosen) => {
            setHeard((before) => [...before, chosen]);
          }}
        >
          {options.map((option) => (
            <List.Dropdown.Item key={option} title={option} value={option} />
          ))}
        </List.Dropdown>
      }
    >
      <List.Item id="heard" title={heard.join(' ') || 'nothing'} />
    </List>
  );
}

/** The package's types do not know it, the launcher does. */
const HINT = { placeholder: 'Your name' };

function Fields() {
  const [sent, setSent] = useState('');
  const [heard, setHeard] = useState('');
  return (
    <Form
      navigationTitle="Everything"
      actions={
        <ActionPanel>
          <Action.SubmitForm
            title="Send"
            onSubmit={(values) => {
              setSent(JSON.stringify(values));
            }}
          />
        </ActionPanel>
      }
    >
      <Form.Description title="Before" text="Fill this in." />
      <Form.TextField id="name" title="Name" info="Any name will do" {...HINT} />
      <Form.PasswordField id="secret" title="Secret" defaultValue="abc" />
      <Form.TextArea id="words" title="Words" defaultValue={sent === '' ? 'first' : 'later'} />
      <Form.Separator />
      <Form.Checkbox id="sure" title="Sure" label="I am" defaultValue />
      <Form.Dropdown id="size" title="Size" placeholder="Choose one">
        <Form.Dropdown.Item title="Small one" value="small" />
        <Form.Dropdown.Section title="Big">
          <Form.Dropdown.Item title="Large one" value="large" />
        </Form.Dropdown.Section>
      </Form.Dropdown>
      <Form.FilePicker
        id="files"
        title="Files"
        allowMultipleSelection
        onChange={(paths) => {
          setHeard(paths.join(' '));
        }}
      />
      <Form.FilePicker id="one" title="One" />
      <Form.DatePicker id="day" title="Day" />
      <Form.TextField id="unsent" title="Unsent" storeValue={false} defaultValue="kept here" />
      <Form.Description text={`${heard}${sent}`} />
    </Form>
  );
}

/** Fields whose value the command says with every frame, and one it set at first. */
function Controlled() {
  const [name, setName] = useState('');
  const [paths, setPaths] = useState<string[]>([]);
  return (
    <Form
      actions={
        <ActionPanel>
          <Action
            title="Clear"
            onAction={() => {
              setName('');
              setPaths([]);
            }}
          />
        </ActionPanel>
      }
    >
      <Form.TextField
        id="name"
        value={name}
        onChange={(words) => {
          setName(words.toUpperCase());
        }}
      />
      <Form.FilePicker id="files" value={paths} onChange={setPaths} allowMultipleSelection />
      <Form.FilePicker id="stuck" defaultValue={['/old']} />
      {name === '' && <Form.TextField id="extra" />}
    </Form>
  );
}

const nothing = () => undefined;

function Keys() {
  return (
    <List
      actions={
        <ActionPanel>
          <ActionPanel.Section title="Main">
            <Action title="First" onAction={nothing} />
            <Action title="Second" shortcut="copy" onAction={nothing} />
          </ActionPanel.Section>
          <ActionPanel.Section>
            <Action
              title="Same keys"
              shortcut={{ modifiers: ['ctrl', 'shift'], key: 'c' }}
              onAction={nothing}
            />
            <Action title="Kept" shortcut={{ modifiers: ['ctrl'], key: 'b' }} onAction={nothing} />
            <Action title="Used" shortcut={{ modifiers: ['ctrl'], key: 'j' }} onAction={nothing} />
            <Action title="First" onAction={nothing} />
            <Action title="A title with many more words than fit here" onAction={nothing} />
          </ActionPanel.Section>
          <ActionPanel.Submenu title="Empty">{null}</ActionPanel.Submenu>
          <ActionPanel.Submenu title="Choose">
            <Action title="First" shortcut="copy" onAction={nothing} />
          </ActionPanel.Submenu>
        </ActionPanel>
      }
    >
      <List.Item id="a" title="A" />
    </List>
  );
}

export default function Controls(props: LaunchProps<{ arguments: { question: string } }>) {
  const view = VIEWS[props.arguments.question];
  if (!view) throw new Error(`no view ${props.arguments.question}`);
  return view();
}
