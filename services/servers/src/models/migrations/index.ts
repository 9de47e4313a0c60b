import type { Migration } from '@panel/kit/mongo';
import { baseline } from './0001-baseline.js';
import { dataRootId } from './0002-data-root-id.js';
import { viewerNameGrams } from './0003-viewer-name-grams.js';

/** In order; the database's version is their count. */
export const migrations: readonly Migration[] = [baseline, dataRootId, viewerNameGrams];
