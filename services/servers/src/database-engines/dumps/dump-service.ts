import { abortableIterable } from '@panel/kit/async';
import { invalidFields } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { ServerDatabase } from '../../domain/databases/database.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import type { DumpLogin } from '../drivers/database-engine.js';
import type { DatabaseEngines } from '../drivers/engines.js';
import { hostOf } from '../load-database.js';
import { importSql } from './import-sql.js';
import { dumpTimes, OngoingDump } from './ongoing-dump.js';
import { dumpProgram, pgRestore } from './programs.js';
import { feedProgram, readProgram } from './run-program.js';

const maxAtOnce = 4;
/** Leaves places to others, however many servers an owner has. */
const maxPerOwner = 2;
const customFormat = Buffer.from('PGDMP');

interface DumpServiceDeps {
  readonly stores: Pick<Stores, 'databaseHosts'>;
  readonly engines: DatabaseEngines;
  readonly maxDumpBytes: number;
  readonly log: Logger;
}

interface DumpSubject {
  readonly database: ServerDatabase;
  /** User id of the server's owner. */
  readonly ownerId: string;
}

/**
 * As the database's own user: four at a time in this process, two per owner, one per server. Throws DATABASE_LOCKED,
 * DATABASE_DUMP_BUSY, DATABASE_DUMP_LIMIT, DATABASE_DUMP_FAILED, DATABASE_HOST_UNREACHABLE.
 */
export class DumpService {
  /** Owners by server id. */
  readonly #running = new Map<string, string>();

  constructor(private readonly deps: DumpServiceDeps) {}

  /** An early return ends the export. */
  async *export(subject: DumpSubject, caller: AbortSignal): AsyncGenerator<Buffer> {
    const { database } = subject;
    const { login, dump } = await this.#begin(subject, caller);
    try {
      const program = dumpProgram(database.engine, login, database.name);
      let sizeBytes = 0;
      for await (const chunk of readProgram(program, dump.signal)) {
        sizeBytes += chunk.length;
        this.#assertSize(sizeBytes);
        dump.waitForCaller();
        yield chunk;
        dump.proceed();
      }
    } finally {
      await dump.end();
    }
  }

  /** Resolves with the size. */
  async import(subject: DumpSubject, input: AsyncIterable<Buffer>, caller: AbortSignal): Promise<number> {
    const { database } = subject;
    const { login, dump } = await this.#begin(subject, caller);
    const size = { bytes: 0 };
    try {
      const counted = this.#counted(abortableIterable(input, dump.signal), dump, size);
      if (database.engine === 'mysql') await importSql(login, database.name, counted, dump.signal);
      else await feedProgram(pgRestore(login, database.name), requireCustomFormat(counted), dump.signal);
      return size.bytes;
    } finally {
      await dump.end();
    }
  }

  async #begin(
    { database, ownerId }: DumpSubject,
    caller: AbortSignal,
  ): Promise<{ login: DumpLogin; dump: OngoingDump }> {
    const { serverId } = database;
    if (database.state !== 'active' || database.password === null) {
      throw fail('DATABASE_LOCKED', 'the database cannot be used now', { state: database.state });
    }
    this.#requirePlace(serverId, ownerId);
    this.#running.set(serverId, ownerId);
    try {
      const host = await hostOf(this.deps.stores, database);
      const login = await this.deps.engines[host.engine].openDumpLogin(host, database, database.password);
      return { login, dump: new OngoingDump(caller, dumpTimes, async () => this.#end(database, login)) };
    } catch (error) {
      this.#running.delete(serverId);
      throw error;
    }
  }

  #requirePlace(serverId: string, ownerId: string): void {
    const ofOwner = [...this.#running.values()].filter((owner) => owner === ownerId).length;
    const counts: readonly (readonly [whose: string, count: number, limit: number])[] = [
      ['this server', this.#running.has(serverId) ? 1 : 0, 1],
      ["the owner's servers", ofOwner, maxPerOwner],
      ['all servers', this.#running.size, maxAtOnce],
    ];
    for (const [whose, count, limit] of counts) {
      if (count < limit) continue;
      const message = `${limit} at a time: another dump of ${whose} must end first`;
      throw fail('DATABASE_DUMP_BUSY', message, { limit });
    }
  }

  async #end({ id, serverId }: ServerDatabase, login: DumpLogin): Promise<void> {
    try {
      await login.close();
    } catch (error) {
      this.deps.log.warn(
        { err: error, databaseId: id },
        'the login of a dump stays until the next dump of its database',
      );
    } finally {
      // After the login's end: the next dump uses the same name.
      this.#running.delete(serverId);
    }
  }

  async *#counted(input: AsyncIterable<Buffer>, dump: OngoingDump, size: { bytes: number }): AsyncGenerator<Buffer> {
    dump.waitForCaller();
    for await (const chunk of input) {
      dump.proceed();
      size.bytes += chunk.length;
      this.#assertSize(size.bytes);
      yield chunk;
      dump.waitForCaller();
    }
    dump.proceed();
  }

  #assertSize(sizeBytes: number): void {
    const { maxDumpBytes } = this.deps;
    if (sizeBytes <= maxDumpBytes) return;
    throw fail('DATABASE_DUMP_LIMIT', 'the dump is larger than allowed', { limit_bytes: maxDumpBytes });
  }
}

async function* requireCustomFormat(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of input) {
    // The first chunk may be shorter than the magic.
    const piece: Buffer = head === null ? chunk : Buffer.concat([head, chunk]);
    if (head !== null && piece.length < customFormat.length) {
      head = piece;
      continue;
    }
    if (head !== null && !piece.subarray(0, customFormat.length).equals(customFormat)) throw notCustomFormat();
    head = null;
    yield piece;
  }
  if (head !== null) throw notCustomFormat();
}

function notCustomFormat() {
  return invalidFields({ content: ['must be a dump in the custom format: pg_dump --format=custom'] });
}
