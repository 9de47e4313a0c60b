import type { Migration } from '@panel/kit/mongo';
import { baseline } from './0001-baseline.js';

/** In their order: the version of the database is their number. */
export const migrations: readonly Migration[] = [baseline];
