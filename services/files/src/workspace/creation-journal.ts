import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readJson, writeJson } from '@panel/kit/process';
import { z } from 'zod';
import { ifExists } from '../jail/paths.js';

interface CreationRecord {
  readonly name: Buffer;
  /** `inodeIdentity`; null for a directory. */
  readonly identity: string | null;
  /** Milliseconds. */
  readonly at: number;
}

const recordSchema = z.object({
  name: z.base64().transform((text) => Buffer.from(text, 'base64')),
  identity: z.string().nullable(),
  at: z.number(),
});

/** Of one call and server; survives a crash. */
export interface JournalEntry {
  /** Null without an earlier attempt. The directory shows its success. */
  read(): Promise<CreationRecord | null>;
  /** Before the creation, and for each new name. */
  record(creation: Omit<CreationRecord, 'at'>): Promise<void>;
  /** Nothing was created. */
  clear(): Promise<void>;
}

/**
 * For idempotency keys of creating calls. Files have no unique ids: records name and inode before the creation; a
 * repeated call that finds the inode returns it.
 */
export interface CreationJournal {
  /** Null without idempotency id. Both ids are UUIDs. */
  entryFor(serverId: string, idempotencyId: string | undefined): JournalEntry | null;
  sweep(signal: AbortSignal): Promise<void>;
}

/** As the gateway's. */
const maxAgeMs = 24 * 3_600_000;

/** Creates a missing directory. */
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
