import { List } from '@vicinae/api';
import { useState } from 'react';

/** The least a view command can be: what every launch pays before Lam does anything. */
export default function Empty() {
  const [placeholder] = useState('Nothing here');
  return <List searchBarPlaceholder={placeholder} />;
}
