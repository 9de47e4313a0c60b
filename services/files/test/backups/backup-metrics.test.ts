import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createBackupMetrics } from '../../src/backups/backup-metrics.js';
import type { BackupStore } from '../../src/models/backup-store.js';

describe('ended backups', () => {
  it('counts a backup once, by what its record says', async () => {
    const registry = new Registry();
    const records = new Map([
      ['a', 'pending'],
      ['b', 'pending'],
      ['c', 'pending'],
    ]);
    const end = (state: string) => async (id: string) => {
      if (records.get(id) !== 'pending') return false;
      records.set(id, state);
      return true;
    };
    const store = createBackupMetrics(registry).counting({
      complete: end('completed'),
      fail: end('failed'),
    } as unknown as BackupStore);
    const counts = async () => {
      const { values = [] } = (await registry.getSingleMetric('backups_ended_total')?.get()) ?? {};
      return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]));
    };
    expect(await counts()).to.deep.equal({ completed: 0, failed: 0 });
    expect(await store.fail('a', 'DISK_FULL', 'no room')).to.equal(true);
    expect(await store.fail('a', 'DISK_FULL', 'no room')).to.equal(false);
    expect(await store.complete('a', {} as never)).to.equal(false);
    await store.complete('b', {} as never);
    await store.complete('c', {} as never);
    expect(await counts()).to.deep.equal({ completed: 2, failed: 1 });
  });
});
