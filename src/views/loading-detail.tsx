import { Detail } from '@vicinae/api';
import type { FC } from 'react';

/** The launcher honours `isLoading` on a Detail (the moving bar), but the package's types leave it out. */
export const LoadingDetail: FC<Detail.Props & { isLoading: boolean }> = Detail;
