import type { Migration } from '@panel/kit/mongo';

/** Version 1. Each start makes the indexes. */
export const baseline: Migration = { name: '0001-baseline', run: async () => undefined };
