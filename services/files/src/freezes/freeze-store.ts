import { open, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { uuidText } from '../domain/server-id.js';
import { syncTrusted } from '../jail/atomic-write.js';
import { withHandle } from '../jail/node.js';
import { ifExists } from '../jail/paths.js';

export interface Freeze {
  readonly serverId: string;
  readonly operationId: string;
  /** Unique per freeze. */
  readonly freezeId: string;
}

const freezeName = new RegExp(
  `^(?<serverId>${uuidText})\\.(?<operationId>${uuidText})\\.(?<freezeId>${uuidText})\\.frozen$`,
);

export interface FreezeStore {
  list(): Promise<StoredFreeze[]>;
  /** Durable: the caller repeats it only after a minute. */
  save(freeze: Freeze, until: Date): Promise<void>;
  /** False when gone. */
  extend(freeze: Freeze, until: Date): Promise<boolean>;
  remove(freeze: Freeze): Promise<void>;
}

interface StoredFreeze {
  readonly freeze: Freeze;
  readonly until: number;
}

/** An empty file, which mostly fits on a full disk. Its name has the ids, its modification time the end. */
export function createFreezeStore(directory: string): FreezeStore {
  const fileOf = ({ serverId, operationId, freezeId }: Freeze) =>
    path.join(directory, `${serverId}.${operationId}.${freezeId}.frozen`);
  return {
    list: async () => listFreezes(directory),
    save: async (freeze, until) => {
      await withHandle(await open(fileOf(freeze), 'a', 0o600), async (file) => {
        await file.utimes(until, until);
        await file.sync();
      });
      await syncTrusted(directory);
    },
    extend: async (freeze, until) =>
      (await ifExists(async () => {
        await utimes(fileOf(freeze), until, until);
        return true;
      })) ?? false,
    remove: async (freeze) => rm(fileOf(freeze), { force: true }),
  };
}

async function listFreezes(directory: string): Promise<StoredFreeze[]> {
  const found: StoredFreeze[] = [];
  for (const name of await readdir(directory)) {
    const { serverId, operationId, freezeId } = freezeName.exec(name)?.groups ?? {};
    if (serverId === undefined || operationId === undefined || freezeId === undefined) continue;
    // ended
    const until = await ifExists(async () => (await stat(path.join(directory, name))).mtimeMs);
    if (until !== null) found.push({ freeze: { serverId, operationId, freezeId }, until });
  }
  return found;
}
