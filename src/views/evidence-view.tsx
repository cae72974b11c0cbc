import { List, useNavigation } from '@vicinae/api';
import { useMemo, useState } from 'react';

import type { EvidencePort } from '../host/evidence/lazy-evidence';
import { inertText, plain, type PlainText } from '../lib/render';
import type { Turn } from '../lib/types';
import { EvidenceActions } from './evidence/evidence-actions';
import { MARK_ICONS } from './evidence/mark-icons';
import { useEvidence, type Seen } from './evidence/use-evidence';
import { ICONS } from './icons';

interface Props {
  /** An answer that has ended. */
  turn: Turn;
  evidence: EvidencePort;
}

/**
 * What an answer rests on: its quotations, its claims with the passages behind them, and what has no source. One row each,
 * with the words of the source beside the selected one.
 */
export function EvidenceView({ turn, evidence }: Props) {
  const { pop } = useNavigation();
  const { seen, again } = useEvidence(evidence, turn);
  const [selectedId, setSelectedId] = useState<string>();
  const { sections, summary, copies } = seen.kind === 'seen' ? seen.report : NOTHING;
  const rows = sections.flatMap((section) => section.rows);
  const selected = rows.find(({ id }) => id === selectedId) ?? rows[0];
  const markdown = useMemo(() => selected?.detail() ?? '', [selected]);
  const shared = { turn, evidence, copies, back: pop };

  return (
    <List
      isLoading={seen.kind === 'loading'}
      isShowingDetail={rows.length > 0}
      navigationTitle={summary === '' ? plain`Evidence` : plain`Evidence: ${summary}`}
      searchBarPlaceholder="Find a sentence…"
      onSelectionChange={setSelectedId}
      actions={
        <EvidenceActions
          {...shared}
          again={seen.kind === 'failed' ? again : undefined}
          isSelected
        />
      }
    >
      <List.EmptyView
        icon={seen.kind === 'failed' ? ICONS.warning : ICONS.quote}
        {...emptyWords(seen)}
      />
      {sections.map((section) => (
        <List.Section key={section.title} title={section.title}>
          {section.rows.map((row) => (
            <List.Item
              key={row.id}
              id={row.id}
              icon={MARK_ICONS[row.mark]}
              title={row.title}
              keywords={row.keywords}
              accessories={row.markers === '' ? [] : [{ text: row.markers, tooltip: row.words }]}
              detail={row === selected ? <List.Item.Detail markdown={markdown} /> : undefined}
              actions={<EvidenceActions {...shared} row={row} isSelected={row === selected} />}
            />
          ))}
        </List.Section>
      ))}
    </List>
  );
}

const NOTHING = { sections: [], summary: plain``, copies: [] } as const;

/** It is there when no row holds what is typed, too. The launcher hides it while the list is loading and nothing is typed. */
function emptyWords(seen: Seen): { title: PlainText; description: PlainText } {
  switch (seen.kind) {
    case 'loading':
      return { title: plain`Looking at the evidence…`, description: plain`` };
    case 'failed':
      return {
        title: plain`The evidence cannot be shown`,
        description: inertText(seen.message, 600),
      };
    case 'seen':
      return seen.report.nothing ?? { title: plain`Nothing found`, description: plain`` };
  }
}
