import type { Migration } from '@panel/kit/mongo';
import { baseline } from './0001-baseline.js';
import { backupWarning } from './0002-backup-warning.js';
import { backupDestination } from './0003-backup-destination.js';

/** In order; their number is the database version. */
export const migrations: readonly Migration[] = [baseline, backupWarning, backupDestination];
