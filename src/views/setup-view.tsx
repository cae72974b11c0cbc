import {
  Action,
  ActionPanel,
  List,
  openExtensionPreferences,
  useNavigation,
  type Icon,
} from '@vicinae/api';
import { useEffect, useRef, useState } from 'react';

import { copyText } from '../host/clipboard';
import type { SetupCheck } from '../host/setup/lazy-setup';
import {
  STEP_IDS,
  STEP_TITLES,
  type SetupProgress,
  type SetupStep,
  type StepId,
} from '../host/setup/steps';
import { guarded, notify } from '../host/toast';
import { plain, renderModelOutput, type PlainText } from '../lib/render';
import { ICONS, STATE_ICONS } from './icons';

const STEP_ICONS: Record<SetupStep['state'], Icon> = {
  waiting: ICONS.waiting,
  running: STATE_ICONS.running,
  ok: STATE_ICONS.done,
  warning: ICONS.warning,
  failed: STATE_ICONS.failed,
  skipped: STATE_ICONS.stopped,
};

/** What each step does, for somebody who has never seen it. */
const PURPOSES: Record<StepId, string> = {
  server: 'Asks the model server of the preferences which models it has.',
  model: 'Looks for the model of the preferences, or chooses one.',
  answer: 'Asks the model for one word. A model that is not loaded yet may need a minute.',
  tools: 'Asks the model to call a tool, as it must to search and to read pages.',
  search: 'Searches once with the service of the preferences.',
  fetch: 'Reads the first page that was found.',
};

const STATE_TITLES: Record<SetupStep['state'], string> = {
  waiting: 'Not checked yet',
  running: 'Checking…',
  ok: 'Works',
  warning: 'Works, but could be better',
  failed: 'Does not work',
  skipped: 'Left out',
};

/** Check Setup: one row a step, filled in while the check runs. It begins with the view and ends with it. */
export function SetupView({ check }: { check: SetupCheck }) {
  const { pop } = useNavigation();
  const { progress, stop, again } = useSetupCheck(check);
  const [selected, setSelected] = useState<string>(STEP_IDS[0]);
  const steps = progress?.steps ?? [];
  const isDone = progress?.isDone === true;
  return (
    <List
      isLoading={!isDone}
      isShowingDetail={steps.length > 0}
      navigationTitle={titleOf(progress)}
      searchBarPlaceholder="Find a step…"
      onSelectionChange={setSelected}
    >
      {steps.map((step) => (
        <List.Item
          key={step.id}
          id={step.id}
          icon={STEP_ICONS[step.state]}
          title={STEP_TITLES[step.id]}
          accessories={step.ms === undefined ? [] : [{ text: secondsOf(step.ms) }]}
          detail={
            step.id === selected ? <List.Item.Detail markdown={markdownOf(step)} /> : undefined
          }
          actions={
            <SetupActions
              step={step}
              report={progress?.report ?? ''}
              stop={isDone ? undefined : stop}
              again={again}
              back={pop}
            />
          }
        />
      ))}
    </List>
  );
}

interface ActionsProps {
  step: SetupStep;
  report: string;
  /** Absent when nothing runs. */
  stop: (() => void) | undefined;
  again: () => void;
  back: () => void;
}

/** What the selected step needs comes first. */
function SetupActions({ step, report, stop, again, back }: ActionsProps) {
  const { command, isPreference } = step;
  const preferences = (
    <Action
      title="Preferences"
      icon={ICONS.preferences}
      onAction={guarded('open the preferences', () => openExtensionPreferences())}
    />
  );
  return (
    <ActionPanel>
      <ActionPanel.Section>
        {command !== undefined && (
          <Action
            title="Copy Command"
            icon={ICONS.copy}
            onAction={guarded('copy the command', () => copyText(command, 'Command', command))}
          />
        )}
        {isPreference === true && preferences}
        <Action
          title="Copy Report"
          icon={ICONS.copy}
          shortcut="copy"
          onAction={guarded('copy the report', () =>
            copyText(report, 'Report', 'as Markdown, without keys'),
          )}
        />
        {stop === undefined ? (
          <Action
            title="Run Again"
            icon={ICONS.retry}
            shortcut="refresh"
            onAction={guarded('run the check', again)}
          />
        ) : (
          <Action
            title="Stop"
            icon={ICONS.stop}
            shortcut={{ modifiers: ['ctrl'], key: '.' }}
            onAction={guarded('stop the check', stop)}
          />
        )}
      </ActionPanel.Section>
      <ActionPanel.Section>
        <Action title="Back to Chat" icon={ICONS.back} onAction={guarded('go back', back)} />
        {isPreference !== true && preferences}
      </ActionPanel.Section>
    </ActionPanel>
  );
}

/** Runs the check once, and again when asked; what an earlier run still tells is not shown. */
function useSetupCheck(check: SetupCheck) {
  const [progress, setProgress] = useState<SetupProgress>();
  const [round, setRound] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    let isGone = false;
    check((next) => {
      if (!isGone) setProgress(next);
    }, controller.signal).catch(() => {
      notify({ style: 'failure', title: 'The check ended unexpectedly' });
    });
    return () => {
      isGone = true;
      controller.abort();
    };
  }, [check, round]);
  return {
    progress,
    stop: () => {
      running.current?.abort();
    },
    again: () => {
      setRound((before) => before + 1);
    },
  };
}

function titleOf(progress: SetupProgress | undefined): PlainText {
  if (progress === undefined) return plain`Check Setup`;
  const { steps, isDone } = progress;
  const running = steps.find(({ state }) => state === 'running');
  if (!isDone) return running ? plain`Checking: ${STEP_TITLES[running.id]}…` : plain`Check Setup`;
  const count = (wanted: SetupStep['state']) =>
    steps.filter(({ state }) => state === wanted).length;
  const failed = count('failed');
  const skipped = count('skipped');
  const warnings = count('warning');
  if (failed > 0)
    return plain`Check Setup: ${failed} of ${steps.length} do${failed === 1 ? 'es' : ''} not work`;
  if (skipped > 0)
    return plain`Check Setup: ${steps.length - skipped} of ${steps.length} steps checked`;
  if (warnings > 0)
    return plain`Check Setup: works, ${warnings} warning${warnings === 1 ? '' : 's'}`;
  return plain`Check Setup: everything works`;
}

const secondsOf = (ms: number): PlainText => plain`${(ms / 1000).toFixed(1)} s`;

/** Foreign words in it (a model's answer, a page's title) go the way of a model's Markdown. */
function markdownOf({ id, state, said, advice, command }: SetupStep): string {
  const parts = [
    `### ${STEP_TITLES[id]}: ${STATE_TITLES[state].toLowerCase()}`,
    said === '' ? PURPOSES[id] : said,
    advice ?? '',
    command === undefined ? '' : `\`\`\`sh\n${command}\n\`\`\``,
  ];
  return renderModelOutput(parts.filter((part) => part !== '').join('\n\n')).text;
}
