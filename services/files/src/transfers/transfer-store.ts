import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { uuidText } from '../domain/server-id.js';
import { readJson, writeJson } from '@panel/kit/process';
import { syncTrusted } from '../jail/atomic-write.js';
import { exists, ifExists } from '../jail/paths.js';
import type { Checkpoint } from './receive-tree.js';

/** Of a transferred volume; local ones have none. */
const markSchema = z.object({
  operationId: z.uuid(),
  /** `inodeIdentity`; the mark applies to no other. */
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

interface StoredItem {
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

/** Ids are UUIDs, checked by the caller. */
export interface TransferStore {
  readonly directory: string;
  /** Created if needed. */
  directoryOf(operationId: string): Promise<string>;
  /** Idempotent. */
  makeTree(operationId: string): Promise<void>;
  hasTree(operationId: string): Promise<boolean>;
  /** Null when missing or damaged: it only saves time. */
  readCheckpoint(operationId: string): Promise<Checkpoint | null>;
  /** Lost at worst on a power failure; the comparison with the source finds lost tree bytes. */
  saveCheckpoint(operationId: string, checkpoint: Checkpoint): Promise<void>;
  removeCheckpoint(operationId: string): Promise<void>;
  readMark(serverId: string): Promise<VolumeMark | null>;
  writeMark(serverId: string, mark: VolumeMark): Promise<void>;
  removeMark(serverId: string): Promise<void>;
  isDiscarded(operationId: string): Promise<boolean>;
  /** Empty, hence mostly fits on a full disk. */
  setDiscarded(operationId: string): Promise<void>;
  removeDiscarded(operationId: string): Promise<void>;
  items(): Promise<StoredItem[]>;
}

/**
 * In `transfers` of the data root: `<operation>/` has the tree and checkpoint, `<server>.mark` names the operation that
 * made a volume, `<operation>.discarded` bars an operation permanently.
 */
export function createTransferStore(directory: string): TransferStore {
  const directoryOf = async (operationId: string) => {
    const at = path.join(directory, operationId);
    await mkdir(at, { recursive: true, mode: 0o700 });
    return at;
  };
  const treeOf = (operationId: string) => path.join(directory, operationId, treeName.toString());
  const checkpointOf = (operationId: string) => path.join(directory, operationId, checkpointName);
  const markOf = (serverId: string) => path.join(directory, `${serverId}${markEnding}`);
  const discardOf = (operationId: string) => path.join(directory, `${operationId}${discardEnding}`);
  return {
    directory,
    directoryOf,
    makeTree: async (operationId) => {
      await directoryOf(operationId);
      await mkdir(treeOf(operationId), { recursive: true, mode: 0o700 });
    },
    hasTree: async (operationId) => exists(treeOf(operationId)),
    readCheckpoint: async (operationId) => readJson(checkpointOf(operationId), checkpointSchema),
    saveCheckpoint: async (operationId, { afterPath, partialPath, ...numbers }) =>
      writeJson(checkpointOf(operationId), {
        ...numbers,
        afterPath: afterPath.toString('base64'),
        partialPath: partialPath?.toString('base64') ?? null,
      }),
    removeCheckpoint: async (operationId) => rm(checkpointOf(operationId), { force: true }),
    readMark: async (serverId) => readJson(markOf(serverId), markSchema),
    writeMark: async (serverId, mark) => writeJson(markOf(serverId), mark),
    removeMark: async (serverId) => rm(markOf(serverId), { force: true }),
    isDiscarded: async (operationId) => exists(discardOf(operationId)),
    setDiscarded: async (operationId) => {
      await (await open(discardOf(operationId), 'a', 0o600)).close();
      await syncTrusted(directory);
    },
    removeDiscarded: async (operationId) => rm(discardOf(operationId), { force: true }),
    items: async () => listItems(directory),
  };
}

async function listItems(directory: string): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  for (const name of await readdir(directory)) {
    const { id, ending } = itemName.exec(name)?.groups ?? {};
    if (id === undefined) continue;
    const kind = ending === markEnding ? 'mark' : ending === discardEnding ? 'discard' : 'operation';
    const changedAt = await changeTime(path.join(directory, name), kind === 'operation' ? checkpointName : '');
    if (changedAt !== null) items.push({ kind, id, changedAt });
  }
  return items;
}

/** The later time of a directory and a file in it. */
async function changeTime(at: string, within: string): Promise<number | null> {
  const times = await Promise.all(
    [at, path.join(at, within)].map(async (item) => ifExists(async () => (await stat(item)).mtimeMs)),
  );
  return times[0] === null ? null : Math.max(...times.map((time) => time ?? 0));
}
