import { Detail, environment, useNavigation } from '@vicinae/api';
import { useCallback, useState } from 'react';

import { ConversationsView } from '../../../views/conversations-view';
import { Pushed } from '../../../views/pushed';
import { fakeShelf } from './fake-shelf';

/** The view of the conversations on a shelf that a test has filled; in place of the chat stands a page that says so. */
export default function Shelf() {
  const [shelf] = useState(() => fakeShelf(environment.supportPath));
  const [visits, setVisits] = useState(0);
  const onGone = useCallback(() => {
    setVisits((before) => before + 1);
  }, []);
  const { push } = useNavigation();
  return (
    <ConversationsView
      session={shelf}
      visits={visits}
      onOpen={() => {
        push(
          <Pushed onGone={onGone}>
            <Detail markdown="The chat." />
          </Pushed>,
        );
      }}
    />
  );
}
