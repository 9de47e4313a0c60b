import type { BackupRef, BackupSource, BackupStorage, StoredBackup } from '../storage/backup-storage.js';
import type { ResticConfig } from './run-restic.js';
import { extractSnapshot, listSnapshot, openSnapshot, verifySnapshot } from './read.js';
import { removeSnapshots } from './remove.js';
import { ResticRepositories, type ResticStorageOptions } from './repository.js';
import { linkAndAdd, StagedTrees } from './staged-tree.js';

/** For a deletion by the server's former node. */
const holdPatienceMs = 2 * 60_000;

/** Incremental, compressed and encrypted. The snapshot id is the checksum; restic verifies it on reads. */
export function createResticStorage(config: ResticConfig, options: ResticStorageOptions = {}): BackupStorage {
  const repositories = new ResticRepositories(config, options);
  const trees = new StagedTrees(config.workDirectory);
  const { mutex } = repositories;
  return {
    kind: 'restic',
    create: async (backup, source) => {
      const { serverId } = backup;
      const stored = await mutex.run(serverId, async () => store(repositories, trees, backup, source));
      // delays only the server's next backup; the sweep removes the rest
      mutex.run(serverId, async () => trees.remove(serverId)).catch(() => undefined);
      return stored;
    },
    verify: async (backup, signal, onVerified) => verifySnapshot(repositories, backup, signal, onVerified),
    extract: async (backup, target) => extractSnapshot(repositories, backup, target),
    open: async (backup, _range, signal) => openSnapshot(repositories, backup, signal),
    list: async (backup, directory, max, signal) => listSnapshot(repositories, backup, { directory, max }, signal),
    delete: async (backup) => mutex.run(backup.serverId, async () => removeSnapshots(repositories, backup)),
    deleteServer: async (serverId) =>
      mutex.run(serverId, async () => {
        await repositories.deleteAll(serverId);
        await trees.remove(serverId);
      }),
    sweep: async (_isRetained, signal) => {
      for (const serverId of await trees.serverIds()) {
        signal.throwIfAborted();
        // the mutex guards its use
        await mutex.run(serverId, async () => trees.remove(serverId));
      }
    },
  };
}

async function store(
  repositories: ResticRepositories,
  trees: StagedTrees,
  backup: BackupRef,
  source: BackupSource,
): Promise<StoredBackup> {
  const { serverId } = backup;
  source.signal.throwIfAborted();
  await trees.make(serverId);
  try {
    const options = { signal: source.signal, patienceMs: holdPatienceMs };
    const { id, contentBytes } = await repositories.writes.run(serverId, options, async ({ signal, isHeld }) =>
      linkAndAdd(repositories, trees, backup, { ...source, signal }, isHeld),
    );
    return { sizeBytes: contentBytes, checksum: `sha256:${id}` };
  } catch (error) {
    await trees.remove(serverId);
    throw error;
  }
}
