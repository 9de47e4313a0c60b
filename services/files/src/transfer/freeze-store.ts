import { open, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { uuidText } from '../domain/server-id.js';
import { isErrno } from '../jail/errno.js';
import { syncTrusted } from '../jail/new-file.js';
import { closing } from '../jail/node.js';

/** One operation keeps one volume as it is. */
export interface Freeze {
  readonly serverId: string;
  readonly operationId: string;
  /** Names this freeze as long as it lasts. */
  readonly freezeId: string;
}

const freezeName = new RegExp(
  `^(?<serverId>${uuidText})\\.(?<operationId>${uuidText})\\.(?<freezeId>${uuidText})\\.frozen$`,
);

/**
 * Freezes as they outlive the death of this process: an empty file each, in the directory of transfers, which mostly finds
 * room on a full disk too. All of it stands in the name; the time of change is when the freeze ends.
 */
export class FreezeStore {
  constructor(private readonly directory: string) {}

  async list(): Promise<{ readonly freeze: Freeze; readonly until: number }[]> {
    const found = [];
    for (const name of await readdir(this.directory)) {
      const { serverId, operationId, freezeId } = freezeName.exec(name)?.groups ?? {};
      if (serverId === undefined || operationId === undefined || freezeId === undefined) continue;
      const until = (await stat(path.join(this.directory, name))).mtimeMs;
      found.push({ freeze: { serverId, operationId, freezeId }, until });
    }
    return found;
  }

  /** It is on the disk for good afterwards: whoever was told of it does not ask again for a minute. */
  async save(freeze: Freeze, until: Date): Promise<void> {
    await closing(await open(this.#fileOf(freeze), 'a', 0o600), async (file) => {
      await file.utimes(until, until);
      await file.sync();
    });
    await syncTrusted(this.directory);
  }

  /** Move its end; false when it is gone. */
  async extend(freeze: Freeze, until: Date): Promise<boolean> {
    try {
      await utimes(this.#fileOf(freeze), until, until);
      return true;
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return false;
      throw error;
    }
  }

  async remove(freeze: Freeze): Promise<void> {
    await rm(this.#fileOf(freeze), { force: true });
  }

  #fileOf({ serverId, operationId, freezeId }: Freeze): string {
    return path.join(this.directory, `${serverId}.${operationId}.${freezeId}.frozen`);
  }
}
