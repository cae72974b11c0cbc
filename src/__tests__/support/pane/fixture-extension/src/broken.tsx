import { createElement, useState, type ReactNode } from 'react';

import { Action, ActionPanel, Detail, List, type LaunchProps } from '@vicinae/api';
import * as api from '@vicinae/api';

/** A value of a type that the props do not allow; the launcher gets it all the same. */
function wrong(value: unknown): string {
  return value as string; // deliberately untrue: this is what the pane has to notice
}

/** Views that the launcher refuses, by the `question` argument. */
const VIEWS: Record<string, () => ReactNode> = {
  'number-title': () => (
    <List>
      <List.Item id="a" title={wrong(7)} />
    </List>
  ),
  'null-markdown': () => <Detail markdown={wrong(null)} />,
  'object-placeholder': () => <List searchBarPlaceholder={wrong({ no: 'string' })} />,
  'unknown-child': () => <List>{createElement('strange-row')}</List>,
  'text-node': () => <List>just words</List>,
  throws: () => {
    throw new Error('thrown in render');
  },
  'host-only': () => <Detail markdown={`bus is ${typeof Reflect.get(api, 'bus')}`} />,
  later: () => <Later />,
  'local-filter': () => (
    <List>
      <List.Item id="a" title="Tea" keywords={['drink']} />
      <List.Item id="b" title="Toast" />
      <List.EmptyView title="Nothing" description="Try another word" />
    </List>
  ),
  throttled: () => <Throttled />,
  dangerous: () => (
    <Detail
      navigationTitle={'A <img src="http://t.example/t.png">'}
      markdown={'See ![x](https://t.example/p.png)\n\n- one\n\n  two'}
    />
  ),
};

function Later() {
  const [title, setTitle] = useState('fine');
  return (
    <List
      actions={
        <ActionPanel>
          <Action
            title="Break"
            onAction={() => {
              setTitle(wrong(false));
            }}
          />
        </ActionPanel>
      }
    >
      <List.Item id="a" title={title} />
    </List>
  );
}

function Throttled() {
  const [heard, setHeard] = useState<string[]>([]);
  return (
    <List
      throttle
      onSearchTextChange={(words) => {
        setHeard([...heard, words]);
      }}
    >
      {heard.map((words) => (
        <List.Item key={words} id={words} title={words} />
      ))}
    </List>
  );
}

export default function Broken(props: LaunchProps<{ arguments: { question: string } }>) {
  const view = VIEWS[props.arguments.question];
  if (!view) throw new Error(`no view ${props.arguments.question}`);
  return view();
}
