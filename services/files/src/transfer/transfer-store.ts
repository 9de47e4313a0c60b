import { lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { uuidText } from '../domain/server-id.js';
import { isErrno } from '../jail/errno.js';
import { syncTrusted } from '../jail/new-file.js';

import { readJson, writeJson } from '../json-file.js';
import type { Checkpoint } from './incoming.js';

/** Who put a volume in its place, and what it was. Volumes that were made here have none. */
const markSchema = z.object({
  operationId: z.uuid(),
  /** The directory it means (`lastingIdentity`): any other of the same name is none of the operation's business. */
  directory: z.string(),
  bytes: z.int().nonnegative(),
  entries: z.int().nonnegative(),
  skipped: z.int().nonnegative(),
  treeSha256: z.string(),
});
export type VolumeMark = z.infer<typeof markSchema>;

const checkpointSchema = z.object({
  afterPath: z.base64().transform((text) => Buffer.from(text, 'base64')),
  entries: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  storedBytes: z.int().nonnegative(),
  partialPath: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .nullable()
    .default(null),
});

/** Something in the directory of transfers, for the sweep. */
export interface StoredItem {
  readonly kind: 'operation' | 'mark' | 'discard';
  /** Operation id; of a mark, server id. */
  readonly id: string;
  readonly changedAt: number;
}

export const treeName = Buffer.from('tree');
const checkpointName = 'checkpoint.json';
const markEnding = '.mark';
const discardEnding = '.discarded';
const itemName = new RegExp(`^(?<id>${uuidText})(?<ending>|\\${markEnding}|\\${discardEnding})$`);

/**
 * What is remembered of transfers, in the directory `transfers` of the data root, which nobody else sees: `<operation>/` with
 * the tree that is arriving and the checkpoint, `<server>.mark` for the operation that made a volume, and
 * `<operation>.discarded` for one that must never come again. Ids are UUIDs; the caller has checked them.
 */
export class TransferStore {
  constructor(readonly directory: string) {}

  /** The directory of an operation, made if needed. */
  async directoryOf(operationId: string): Promise<string> {
    const at = path.join(this.directory, operationId);
    await mkdir(at, { recursive: true, mode: 0o700 });
    return at;
  }

  /** Make the root of an arriving tree unless it is there. */
  async makeTree(operationId: string): Promise<void> {
    await mkdir(path.join(await this.directoryOf(operationId), treeName.toString()), { recursive: true, mode: 0o700 });
  }

  /** Whether an operation has a tree that is not in its place yet. */
  async hasTree(operationId: string): Promise<boolean> {
    return isThere(path.join(this.directory, operationId, treeName.toString()));
  }

  /** Null when there is none, or none that can be read: nothing depends on it but time. */
  async readCheckpoint(operationId: string): Promise<Checkpoint | null> {
    return readJson(path.join(this.directory, operationId, checkpointName), checkpointSchema);
  }

  /**
   * Survives a killed process, not always a power cut: then the tree has lost something too, and the comparison with the
   * source finds out.
   */
  async saveCheckpoint(operationId: string, checkpoint: Checkpoint): Promise<void> {
    const { afterPath, partialPath, ...numbers } = checkpoint;
    const value = {
      ...numbers,
      afterPath: afterPath.toString('base64'),
      partialPath: partialPath?.toString('base64') ?? null,
    };
    await writeJson(path.join(this.directory, operationId, checkpointName), value);
  }

  async removeCheckpoint(operationId: string): Promise<void> {
    await rm(path.join(this.directory, operationId, checkpointName), { force: true });
  }

  async readMark(serverId: string): Promise<VolumeMark | null> {
    return readJson(path.join(this.directory, `${serverId}${markEnding}`), markSchema);
  }

  async writeMark(serverId: string, mark: VolumeMark): Promise<void> {
    await writeJson(path.join(this.directory, `${serverId}${markEnding}`), mark);
    await this.sync();
  }

  async removeMark(serverId: string): Promise<void> {
    await rm(path.join(this.directory, `${serverId}${markEnding}`), { force: true });
  }

  async isDiscarded(operationId: string): Promise<boolean> {
    return isThere(path.join(this.directory, `${operationId}${discardEnding}`));
  }

  /** An empty file, which mostly finds room on a full disk too. */
  async setDiscarded(operationId: string): Promise<void> {
    await (await open(path.join(this.directory, `${operationId}${discardEnding}`), 'a', 0o600)).close();
    await this.sync();
  }

  async removeDiscarded(operationId: string): Promise<void> {
    await rm(path.join(this.directory, `${operationId}${discardEnding}`), { force: true });
  }

  async items(): Promise<StoredItem[]> {
    const items: StoredItem[] = [];
    for (const name of await readdir(this.directory)) {
      const { id, ending } = itemName.exec(name)?.groups ?? {};
      if (id === undefined) continue;
      const kind = ending === markEnding ? 'mark' : ending === discardEnding ? 'discard' : 'operation';
      const changedAt = await changeTime(path.join(this.directory, name), kind === 'operation' ? checkpointName : '');
      if (changedAt !== null) items.push({ kind, id, changedAt });
    }
    return items;
  }

  async sync(): Promise<void> {
    await syncTrusted(this.directory);
  }
}

async function isThere(at: string): Promise<boolean> {
  try {
    await lstat(at);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

/** The later of two times, of a directory and of a file in it. */
async function changeTime(at: string, within: string): Promise<number | null> {
  const times = await Promise.all(
    [at, path.join(at, within)].map(async (item) => {
      try {
        return (await stat(item)).mtimeMs;
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return null;
        throw error;
      }
    }),
  );
  return times[0] === null ? null : Math.max(...times.map((time) => time ?? 0));
}
