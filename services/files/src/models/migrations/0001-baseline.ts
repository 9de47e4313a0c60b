import type { Migration } from '@panel/kit/mongo';

/** Version 1: documents as the first release with migrations stores them. Indexes are made at each start. */
export const baseline: Migration = { name: '0001-baseline', run: async () => undefined };
