import type { Migration } from '@panel/kit/mongo';

/** Version 1: the documents of the first release with migrations. Each start makes the indexes. */
export const baseline: Migration = { name: '0001-baseline', run: async () => undefined };
