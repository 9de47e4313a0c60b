import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isErrno } from './jail/errno.js';
import { syncTrusted } from './jail/new-file.js';
import { readJson, writeJson } from './json-file.js';

/** What a creation is about to put into a directory. */
export interface Making {
  readonly name: Buffer;
  /** The very thing (`lastingIdentity`); null for a directory, which is not there before it has its name. */
  readonly identity: string | null;
  /** When, in milliseconds. */
  readonly at: number;
}

const makingSchema = z.object({
  name: z.base64().transform((text) => Buffer.from(text, 'base64')),
  identity: z.string().nullable(),
  at: z.number(),
});

/** One creation of one server, as it is known beyond the death of this process. */
export interface Creation {
  /** What an earlier call was about to make; null when there was none. Whether it did is seen in the directory. */
  earlier(): Promise<Making | null>;
  /** To be called before it is made, and again when it gets another name. */
  note(making: Making): Promise<void>;
  /** It was not made after all. */
  forget(): Promise<void>;
}

/** As long as the gateway may repeat a call with its key. */
const maxAgeMs = 24 * 3_600_000;

/**
 * What is being made by calls that may be repeated: files have no ids that could be unique, so a note with the creation's id
 * is written down first. A repetition that finds the very thing the note speaks of answers with it.
 */
export class Creations {
  private constructor(private readonly directory: string) {}

  static async open(directory: string): Promise<Creations> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new Creations(directory);
  }

  /** Null for a call that is not to be repeated. Both ids are UUIDs. */
  of(serverId: string, idempotencyId: string | undefined): Creation | null {
    if (idempotencyId === undefined) return null;
    const at = path.join(this.directory, `${serverId}.${idempotencyId}.json`);
    return {
      earlier: async () => readJson(at, makingSchema),
      note: async (making) => {
        await writeJson(at, { ...making, name: making.name.toString('base64') });
        await syncTrusted(this.directory);
      },
      forget: async () => rm(at, { force: true }),
    };
  }

  /** Remove what nobody asks for any more. */
  async sweep(signal: AbortSignal, now = Date.now()): Promise<void> {
    for (const name of await readdir(this.directory)) {
      signal.throwIfAborted();
      const at = path.join(this.directory, name);
      if (now - (await changeTime(at)) > maxAgeMs) await rm(at, { force: true });
    }
  }
}

async function changeTime(at: string): Promise<number> {
  try {
    return (await stat(at)).mtimeMs;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return Infinity;
    throw error;
  }
}
