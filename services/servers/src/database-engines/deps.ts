import type { Failpoint, Logger } from '@panel/kit/process';
import type { Stores } from '../models/stores.js';
import type { DatabaseEngines } from './drivers/engines.js';

/** What work on databases needs. */
export interface DatabaseDeps {
  readonly stores: Pick<Stores, 'databases' | 'databaseHosts' | 'servers'>;
  readonly databaseEngines: DatabaseEngines;
  readonly failpoint: Failpoint;
  /** Longer than any request works on one database: what a dead process held is taken over after this. */
  readonly databaseLeaseMs: number;
  readonly clock: () => Date;
  readonly log: Logger;
}

export const retryMs = 5_000;
