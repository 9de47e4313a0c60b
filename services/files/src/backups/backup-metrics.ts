import { Counter, Gauge, type Registry } from 'prom-client';
import { backupStates } from '../domain/backup.js';
import type { BackupStore } from '../models/backup-store.js';

interface MeasureDeps {
  readonly store: Pick<BackupStore, 'totals' | 'newestCompleted'>;
  readonly nodeId: string;
  readonly clock: () => Date;
}

export interface BackupMetrics {
  /** From the database. */
  measure(deps: MeasureDeps): Promise<void>;
  /** Counts what the store records. */
  counting(store: BackupStore): BackupStore;
}

export function createBackupMetrics(registry: Registry): BackupMetrics {
  const registers = [registry];
  const count = new Gauge({ name: 'backups', help: 'Backups of the node.', labelNames: ['state'], registers });
  const bytes = new Gauge({ name: 'backup_bytes', help: 'Bytes they take.', labelNames: ['state'], registers });
  const ended = new Counter({
    name: 'backups_ended_total',
    help: 'Backups of the node that this process has ended, by outcome (completed, failed).',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['completed', 'failed']) ended.inc({ outcome }, 0);
  const counted = (outcome: string, isWritten: boolean): boolean => {
    if (isWritten) ended.inc({ outcome });
    return isWritten;
  };
  const age = new Gauge({
    name: 'backup_newest_age_seconds',
    help: 'Age of the newest completed backup of a server.',
    labelNames: ['server_id'],
    registers,
  });
  return {
    counting: (store) => ({
      ...store,
      complete: async (...outcome) => counted('completed', await store.complete(...outcome)),
      fail: async (...failure) => counted('failed', await store.fail(...failure)),
    }),
    measure: async ({ store, nodeId, clock }) => {
      const totals = await store.totals(nodeId);
      for (const state of backupStates) {
        const found = totals.find((total) => total.state === state);
        count.set({ state }, found?.count ?? 0);
        bytes.set({ state }, found?.bytes ?? 0);
      }
      // removes servers whose last backup was deleted
      age.reset();
      for (const [serverId, at] of await store.newestCompleted(nodeId)) {
        age.set({ server_id: serverId }, Math.max(0, (clock().getTime() - at.getTime()) / 1000));
      }
    },
  };
}
