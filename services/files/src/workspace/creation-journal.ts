import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readJson, writeJson } from '@panel/kit/process';
import { z } from 'zod';
import { ifExists } from '../jail/paths.js';

/** What a creating call is about to put into a directory. */
interface CreationRecord {
  readonly name: Buffer;
  /** `inodeIdentity` of the new file; null for a directory, which does not exist before it has its name. */
  readonly identity: string | null;
  /** Time of the record in milliseconds. */
  readonly at: number;
}

const recordSchema = z.object({
  name: z.base64().transform((text) => Buffer.from(text, 'base64')),
  identity: z.string().nullable(),
  at: z.number(),
});

/** The record of one creating call of one server; survives the death of this process. */
export interface JournalEntry {
  /** The record of an earlier attempt; null when there was none. Whether it succeeded is seen in the directory. */
  read(): Promise<CreationRecord | null>;
  /** Call it before the creation, and again when it gets another name. */
  record(creation: Omit<CreationRecord, 'at'>): Promise<void>;
  /** Nothing was created after all. */
  clear(): Promise<void>;
}

/**
 * Journal of creating calls that may be repeated with the same idempotency key. Files have no ids that could be unique,
 * so the intended name and inode are recorded before the creation; a repeated call that finds this inode answers with it.
 */
export interface CreationJournal {
  /** Null for a call without idempotency id. Both ids are UUIDs. */
  entryFor(serverId: string, idempotencyId: string | undefined): JournalEntry | null;
  /** Remove records older than the idempotency window. */
  sweep(signal: AbortSignal): Promise<void>;
}

/** The gateway keeps idempotency keys this long. */
const maxAgeMs = 24 * 3_600_000;

/** Open the journal in a directory, which is made if missing. */
export async function openCreationJournal(directory: string, clock: () => Date): Promise<CreationJournal> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    entryFor: (serverId, idempotencyId) => {
      if (idempotencyId === undefined) return null;
      const file = path.join(directory, `${serverId}.${idempotencyId}.json`);
      return {
        read: async () => readJson(file, recordSchema),
        record: async ({ name, identity }) =>
          writeJson(file, { name: name.toString('base64'), identity, at: clock().getTime() }),
        clear: async () => rm(file, { force: true }),
      };
    },
    sweep: async (signal) => {
      for (const name of await readdir(directory)) {
        signal.throwIfAborted();
        const file = path.join(directory, name);
        const mtimeMs = await ifExists(async () => (await stat(file)).mtimeMs);
        if (mtimeMs !== null && clock().getTime() - mtimeMs > maxAgeMs) await rm(file, { force: true });
      }
    },
  };
}
