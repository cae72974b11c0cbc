import { Detail } from '@vicinae/api';
import { Component, type ReactNode } from 'react';

interface Props {
  children: ReactNode;
}

interface State {
  failed: boolean;
}

/** The launcher ends a command that throws while it renders; this shows a sentence instead. Stored answers are safe. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <Detail
        markdown={
          '# Lam could not draw this\n\nYour conversations are stored. Press Escape and open Lam again.'
        }
      />
    );
  }
}
