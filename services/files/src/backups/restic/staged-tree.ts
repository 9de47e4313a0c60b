import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { uuid } from '../../domain/server-id.js';
import { namesIn } from '../../jail/paths.js';
import type { BackupRef, BackupSource } from '../storage/backup-storage.js';
import { createGate } from './gate.js';
import { linkTree, removeLinkTree } from './link-tree.js';
import type { ResticRepositories } from './repository.js';
import { addSnapshot } from './write.js';

export class StagedTrees {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async make(serverId: string): Promise<void> {
    await this.remove(serverId);
    for (const made of [this.treeOf(serverId), this.gateOf(serverId)])
      await mkdir(made, { recursive: true, mode: 0o700 });
  }

  async remove(serverId: string): Promise<void> {
    await rm(this.gateOf(serverId), { recursive: true, force: true });
    await removeLinkTree(this.treeOf(serverId));
  }

  async serverIds(): Promise<string[]> {
    return (await namesIn(path.join(this.#directory, 'trees'))).filter((name) => uuid.test(name));
  }

  treeOf(serverId: string): string {
    return path.join(this.#directory, 'trees', serverId);
  }

  gateOf(serverId: string): string {
    return path.join(this.#directory, 'gates', serverId);
  }
}

/** Links the volume while restic derives its key (about as long). */
export async function linkAndAdd(
  repositories: ResticRepositories,
  trees: StagedTrees,
  backup: BackupRef,
  source: BackupSource,
  isHeld: () => boolean,
): Promise<{ readonly id: string; readonly contentBytes: number }> {
  const directory = trees.treeOf(backup.serverId);
  const gateDirectory = trees.gateOf(backup.serverId);
  const failed = new AbortController();
  const stop = (error: unknown) => failed.abort(error);
  const both = { ...source, signal: AbortSignal.any([source.signal, failed.signal]) };
  const mark = path.join(gateDirectory, 'begun');
  await writeFile(mark, '', { mode: 0o600 });
  const gate = await createGate(gateDirectory, source.signal);
  const link = async () => {
    const linked = await linkTree(source.scan, directory, both);
    await gate.open();
    return linked;
  };
  const tree = link();
  const adding = addSnapshot(repositories, backup, { directory, gate: gate.path, mark, tree, isHeld }, both);
  try {
    // waits for both: the tree is removed next
    await Promise.all([tree.catch(stop), adding.catch(stop)]);
  } finally {
    await gate.close();
  }
  failed.signal.throwIfAborted();
  return { id: await adding, contentBytes: (await tree).contentBytes };
}
