import { pause } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { FileServiceService, WriteFileRequest, WriteFileStart } from '@panel/protos/files';
import { type Client, dumpDirectory, type GrantSigner, messageChunks } from '@panel/rpc';
import type { EngineKind, ServerDatabase } from '../../domain/databases/database.js';
import type { GameNode } from '../../domain/nodes/node.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { DatabaseStore } from '../../models/databases/database.js';
import { describeFailure } from '../../domain/servers/describe-failure.js';
import { fail } from '../../reasons.js';
import type { NodeFiles } from '../../node-clients/files.js';
import type { DumpService } from './dump-service.js';

export interface DumpPlace {
  readonly server: GameServer;
  readonly node: GameNode;
  readonly signal: AbortSignal;
}

/** Temporary files in `dumpDirectory` of the volume, within its disk limit. */
export interface BackupDumps {
  /** Overwrites. Throws DATABASE_NOT_FOUND, DISK_LIMIT, SERVICE_UNAVAILABLE, and those of DumpService. */
  write(place: DumpPlace, names: readonly string[]): Promise<void>;
  /** Throws DATABASE_NOT_FOUND, FILE_NOT_FOUND, and as `write`. */
  import(place: DumpPlace, name: string): Promise<void>;
  /** Idempotent. */
  remove(place: DumpPlace): Promise<void>;
  /** Idempotent. */
  removeOne(place: DumpPlace, name: string): Promise<void>;
}

interface BackupDumpsDeps {
  readonly databases: Pick<DatabaseStore, 'ofServer'>;
  readonly dumps: Pick<DumpService, 'export' | 'import'>;
  readonly files: Pick<NodeFiles, 'content'>;
  readonly grants: Pick<GrantSigner, 'sign'>;
  readonly log: Logger;
}

type Permission = 'file.read-content' | 'file.update' | 'file.delete';

const extensions: Readonly<Record<EngineKind, string>> = { mysql: 'sql', postgresql: 'dump' };
const dumpTimeoutMs = 2 * 60 * 60_000;
const deleteMs = 60_000;
const retryMs = 1_000;
/** Wait for another dump or a rotation. */
const maxBusyMs = 10 * 60_000;

export function createBackupDumps({ databases, dumps, files, grants, log }: BackupDumpsDeps): BackupDumps {
  const open = async ({ server, node }: DumpPlace, permission: Permission) => ({
    client: await files.content(node),
    grant: grants.sign({
      serverId: server.id,
      permission,
      volume: `servers/${server.id}`,
      diskLimitBytes: server.limits.diskMb * 1024 * 1024,
      denylist: [],
    }),
  });
  const find = async ({ server }: DumpPlace, name: string): Promise<ServerDatabase> => {
    const found = (await databases.ofServer(server.id)).find((database) => database.name === name);
    if (!found) throw fail('DATABASE_NOT_FOUND', `the server has no database ${name} any more`);
    return found;
  };
  const whenFree = async (place: DumpPlace, name: string, work: (database: ServerDatabase) => Promise<unknown>) => {
    for (let waitedMs = 0; ; waitedMs += retryMs) {
      try {
        await work(await find(place, name));
        return;
      } catch (error) {
        const isBusy = isAppError(error, 'DATABASE_DUMP_BUSY', 'DATABASE_LOCKED');
        if (!isBusy || waitedMs >= maxBusyMs) throw error;
      }
      await pause(retryMs, place.signal);
      place.signal.throwIfAborted();
    }
  };
  const remove = async (place: DumpPlace, path: string) => {
    const { client, grant } = await open(place, 'file.delete');
    try {
      await client.deleteFiles({ grant, root: '/', files: [path] }, { timeoutMs: deleteMs });
    } catch (error) {
      if (!isAppError(error, 'FILE_NOT_FOUND', 'VOLUME_NOT_FOUND')) throw error;
    }
  };
  const removeAll = async (place: DumpPlace) => remove(place, dumpDirectory);
  return {
    write: async (place, names) => {
      await removeAll(place);
      for (const name of names) {
        await whenFree(place, name, async (database) => {
          const { client, grant } = await open(place, 'file.update');
          const start = { grant, path: pathOf(database), sizeBytes: 0, ifMatchSha256: '' };
          await writeDump(client, start, place.signal, (signal) =>
            dumps.export({ database, ownerId: place.server.userId }, signal),
          );
        });
        log.info({ serverId: place.server.id, database: name }, 'a database was dumped for a backup');
      }
    },
    import: async (place, name) =>
      whenFree(place, name, async (database) => {
        const { client, grant } = await open(place, 'file.read-content');
        const bytes = readDump(client, grant, pathOf(database), place.signal);
        await dumps.import({ database, ownerId: place.server.userId }, bytes, place.signal);
      }),
    remove: removeAll,
    removeOne: async (place, name) => remove(place, pathOf(await find(place, name))),
  };
}

/** Hides internal errors. */
export function dumpFailure(error: unknown): { readonly reason: string; readonly message: string } {
  if (!isAppError(error) || error.kind === 'internal') return { reason: 'INTERNAL', message: 'an unexpected error' };
  const { output } = error.metadata;
  const message = describeFailure(error);
  return { reason: error.reason, message: typeof output === 'string' ? `${message}: ${output}` : message };
}

function pathOf({ name, engine }: Pick<ServerDatabase, 'name' | 'engine'>): string {
  return `/${dumpDirectory}/${name}.${extensions[engine]}`;
}

/** A failure of either aborts the other. */
async function writeDump(
  client: Pick<Client<FileServiceService>, 'writeFile'>,
  start: WriteFileStart,
  signal: AbortSignal,
  dump: (signal: AbortSignal) => AsyncIterable<Buffer>,
): Promise<void> {
  const ended = new AbortController();
  const failure: { error?: unknown } = {};
  const messages = writeMessages(start, captureFailure(dump(AbortSignal.any([signal, ended.signal])), failure));
  try {
    await client.writeFile(messages, { signal, timeoutMs: dumpTimeoutMs });
  } catch (error) {
    // The upload's error is only the abort.
    throw failure.error ?? error;
  } finally {
    ended.abort();
  }
}

async function* captureFailure(dump: AsyncIterable<Buffer>, failure: { error?: unknown }): AsyncGenerator<Buffer> {
  try {
    yield* dump;
  } catch (error) {
    failure.error = error;
    throw error;
  }
}

async function* writeMessages(start: WriteFileStart, dump: AsyncIterable<Buffer>): AsyncGenerator<WriteFileRequest> {
  let isStarted = false;
  let sizeBytes = 0;
  for await (const bytes of dump) {
    // A dump that fails at once creates no file.
    if (!isStarted) yield { part: { $case: 'start', value: start } };
    isStarted = true;
    sizeBytes += bytes.length;
    for (const value of messageChunks(bytes)) yield { part: { $case: 'chunk', value } };
  }
  yield { part: { $case: 'finish', value: { sizeBytes } } };
}

async function* readDump(
  client: Pick<Client<FileServiceService>, 'readFile'>,
  grant: string,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const request = { grant, path, offsetBytes: 0, limitBytes: 0 };
  for await (const { part } of client.readFile(request, { signal, timeoutMs: dumpTimeoutMs })) {
    if (part?.$case === 'chunk') yield part.value;
  }
}
