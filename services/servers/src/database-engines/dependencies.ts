import type { Failpoint, Logger } from '@panel/kit/process';
import type { Stores } from '../models/stores.js';
import type { DatabaseEngines } from './drivers/engines.js';

export interface DatabaseDeps {
  readonly stores: Pick<Stores, 'databases' | 'databaseHosts' | 'servers'>;
  readonly databaseEngines: DatabaseEngines;
  readonly failpoint: Failpoint;
  /** Must exceed the longest request. */
  readonly databaseLeaseMs: number;
  readonly clock: () => Date;
  readonly log: Logger;
}

export const retryMs = 5_000;
