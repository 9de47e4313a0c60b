import { randomUUID } from 'node:crypto';
import { KeyedMutex } from '@panel/kit/async';
import { createLogger, createTaskGroup } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { BackupReaders } from '../../src/backups/backup-readers.js';
import type { BackupDeps } from '../../src/backups/backup-deps.js';
import { discardBackup } from '../../src/backups/discard-backup.js';

const answerMs = 50;

describe('the deletion of a backup', () => {
  it('answers while its storage is busy, and removes the bytes afterwards', async () => {
    const backup = {
      id: randomUUID(),
      serverId: randomUUID(),
      state: 'completed',
      storage: 'restic',
      nodeIds: ['here'],
    };
    const removed: string[] = [];
    let release: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => (release = resolve));
    const log = createLogger({ service: 'test', level: 'silent' });
    const context = {
      log,
      nodeId: 'here',
      tasks: createTaskGroup(log),
      mutex: new KeyedMutex(),
      readers: new BackupReaders(),
      storages: { reaches: () => true, of: () => ({ delete: async () => busy }) },
      store: {
        find: async () => backup,
        beginDelete: async () => backup,
        remove: async (id: string) => removed.push(id),
        listReplacedBy: async () => [],
      },
    } as unknown as BackupDeps;
    await discardBackup(context, backup.serverId, backup.id, answerMs);
    expect(removed).to.deep.equal([]);
    release();
    await waitUntil('the removal', () => removed.length === 1);
    expect(removed).to.deep.equal([backup.id]);
  });
});
