import { Action, ActionPanel } from '@vicinae/api';
import { isValidElement, type ReactElement } from 'react';

import { copyText } from '../../host/clipboard';
import type {
  EvidenceCopy,
  EvidencePort,
  EvidenceRow,
  RowPassage,
} from '../../host/evidence/lazy-evidence';
import { openTarget } from '../../host/open';
import { guarded, notify } from '../../host/toast';
import { plain, type PlainText } from '../../lib/render';
import type { Turn } from '../../lib/types';
import { ICONS } from '../icons';

interface Props {
  turn: Turn;
  evidence: EvidencePort;
  /** What can be taken along of the whole answer. */
  copies: readonly EvidenceCopy[];
  /** Absent = there is none to act on. */
  row?: EvidenceRow;
  /** The others carry only what Return does: each frame ships the panels of all rows. */
  isSelected: boolean;
  /** Present when the evidence could not be shown. */
  again?: (() => void) | undefined;
  back: () => void;
}

/** What is copied of a whole answer, and what is said of it. */
const COPIES: Record<EvidenceCopy, { title: PlainText; what: string; how: string }> = {
  evidence: { title: plain`Copy Answer with Evidence`, what: 'Answer', how: 'with its evidence' },
  bibtex: { title: plain`Copy Sources as BibTeX`, what: 'Sources', how: 'as BibTeX' },
  csl: { title: plain`Copy Sources as CSL-JSON`, what: 'Sources', how: 'as CSL-JSON' },
};

/**
 * What can be done with a passage, and with the evidence of the whole answer. Where nothing can be opened Return goes back: it
 * never replaces what is on the clipboard.
 */
export function EvidenceActions(props: Props) {
  const { row, isSelected, again, copies } = props;
  const [open, ...own] = rowActions(row?.passages ?? []);
  const back = (
    <Action key="back" title="Back" icon={ICONS.back} onAction={guarded('go back', props.back)} />
  );
  if (!isSelected) return <ActionPanel>{open ?? back}</ActionPanel>;
  return (
    <ActionPanel>
      {again !== undefined && (
        <Action
          title="Try Again"
          icon={ICONS.retry}
          shortcut="refresh"
          onAction={guarded('look at the evidence', again)}
        />
      )}
      <ActionPanel.Section>{[open ?? back, ...own]}</ActionPanel.Section>
      {copies.length > 0 && (
        <ActionPanel.Section>
          {copies.map((as) => (
            <CopyAction key={as} {...props} as={as} />
          ))}
        </ActionPanel.Section>
      )}
      {open && <ActionPanel.Section>{back}</ActionPanel.Section>}
    </ActionPanel>
  );
}

/** What can be done with the passages of a row: first what opens one, undefined where nothing can be opened. */
function rowActions(
  passages: readonly RowPassage[],
): [ReactElement | undefined, ...ReactElement[]] {
  // Passages come before sources that have none.
  const openable = [
    ...passages.filter(({ text }) => text !== ''),
    ...passages.filter(({ text }) => text === ''),
  ].flatMap(({ label, text, address }) =>
    address === undefined ? [] : [{ label, text, address }],
  );
  const [first, ...others] = openable;
  const words = passages.map(({ text }) => text).filter((text) => text !== '');
  const what = words.length === 1 ? 'Passage' : 'Passages';
  const more = [
    words.length > 0 && (
      <Action
        key="copy"
        title={words.length === 1 ? 'Copy Passage' : 'Copy Passages'}
        icon={ICONS.copy}
        shortcut="copy"
        onAction={guarded('copy it', () =>
          copyText(words.join('\n\n'), what, 'in the words of the source'),
        )}
      />
    ),
    others.length > 0 && (
      <ActionPanel.Submenu key="others" title="Open Other Source" icon={ICONS.source}>
        {others.map(({ label, address }, place) => (
          <Action
            key={place}
            title={label}
            icon={ICONS.source}
            onAction={guarded('open it', () => openTarget(address))}
          />
        ))}
      </ActionPanel.Submenu>
    ),
  ].filter((each) => isValidElement(each));
  const open = first && (
    <Action
      key="open"
      title={openTitle(first)}
      icon={ICONS.source}
      onAction={guarded('open it', () => openTarget(first.address))}
    />
  );
  return [open, ...more];
}

/** A file is opened at its beginning, whatever passage is looked at. */
function openTitle({ text, address }: { text: string; address: string }): PlainText {
  if (address.startsWith('/')) return plain`Open File`;
  return text === '' ? plain`Open Source` : plain`Open Passage`;
}

interface Copied extends Pick<Props, 'turn' | 'evidence'> {
  as: EvidenceCopy;
}

function CopyAction({ turn, evidence, as }: Copied) {
  const { title, what, how } = COPIES[as];
  return (
    <Action
      title={title}
      icon={ICONS.copy}
      {...(as === 'evidence' ? { shortcut: { modifiers: ['ctrl', 'shift'], key: 'a' } } : {})}
      onAction={guarded('copy the evidence', async () => {
        const outcome = evidence.copy(turn, as);
        if (outcome.ok) await copyText(outcome.value, what, how);
        else notify({ style: 'failure', title: 'Not copied', message: outcome.message });
      })}
    />
  );
}
