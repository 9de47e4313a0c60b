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
const customFormat = Buffer.from('PGDMP');

interface DumpServiceDeps {
  readonly stores: Pick<Stores, 'databaseHosts'>;
  readonly engines: DatabaseEngines;
  readonly maxDumpBytes: number;
  readonly log: Logger;
}

/**
 * As the database's own user: four at a time in this process, one per server. Throws DATABASE_LOCKED,
 * DATABASE_DUMP_BUSY, DATABASE_DUMP_LIMIT, DATABASE_DUMP_FAILED, DATABASE_HOST_UNREACHABLE.
 */
export class DumpService {
  /** Server ids. */
  readonly #running = new Set<string>();

  constructor(private readonly deps: DumpServiceDeps) {}

  /** An early return ends the export. */
  async *export(database: ServerDatabase, caller: AbortSignal): AsyncGenerator<Buffer> {
    const { login, dump } = await this.#begin(database, caller);
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
  async import(database: ServerDatabase, input: AsyncIterable<Buffer>, caller: AbortSignal): Promise<number> {
    const { login, dump } = await this.#begin(database, caller);
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

  async #begin(database: ServerDatabase, caller: AbortSignal): Promise<{ login: DumpLogin; dump: OngoingDump }> {
    const { serverId } = database;
    if (database.state !== 'active' || database.password === null) {
      throw fail('DATABASE_LOCKED', 'the database cannot be used now', { state: database.state });
    }
    if (this.#running.size >= maxAtOnce || this.#running.has(serverId)) {
      throw fail('DATABASE_DUMP_BUSY', 'other dumps are running; try again later');
    }
    this.#running.add(serverId);
    try {
      const host = await hostOf(this.deps.stores, database);
      const login = await this.deps.engines[host.engine].openDumpLogin(host, database, database.password);
      return { login, dump: new OngoingDump(caller, dumpTimes, async () => this.#end(database, login)) };
    } catch (error) {
      this.#running.delete(serverId);
      throw error;
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
