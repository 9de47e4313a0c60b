import type { Migration } from '@panel/kit/mongo';

/** The documents of the first release with migrations. Each start creates indexes. */
export const baseline: Migration = { name: '0001-baseline', run: async () => undefined };
