import type { Migration } from '@panel/kit/mongo';

/** Version 1: documents of the first release with migrations. Indexes are created at each start. */
export const baseline: Migration = { name: '0001-baseline', run: async () => undefined };
