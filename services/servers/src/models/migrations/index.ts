import type { Migration } from '@panel/kit/mongo';
import { baseline } from './0001-baseline.js';

/** In order; the database's version is their count. */
export const migrations: readonly Migration[] = [baseline];
