import type { Migration } from '@panel/kit/mongo';
import { baseline } from './0001-baseline.js';
import { unitsAndReasons } from './0002-units-and-reasons.js';
import { creditLots } from './0003-credit-lots.js';
import { journal } from './0004-journal.js';

/** In order: the database version is their count. */
export const migrations: readonly Migration[] = [baseline, unitsAndReasons, creditLots, journal];
