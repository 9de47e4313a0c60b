import { onAbort, raceAbort } from '@panel/kit/async';
import { type Connection, createConnection } from 'mysql2/promise';
import { fail } from '../../reasons.js';
import { hostUnreachable } from '../drivers/host-address.js';
import type { DumpLogin } from '../drivers/database-engine.js';
import { SqlSplitter } from './sql-splitter.js';
import { withoutDefiner } from './without-definer.js';

const connectMs = 5_000;
const emptyQuery = 1065;
/** Else SET NAMES makes the driver encode twice. */
const noTracking = ['-SESSION_TRACK'];

/**
 * Bytes stay unchanged: the driver encodes latin1, the host reads UTF-8. Throws DATABASE_DUMP_FAILED with the host's
 * message, DATABASE_DUMP_LIMIT, and the reason of `signal`.
 */
export async function importSql(
  login: DumpLogin,
  database: string,
  input: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connect(login, database);
  const stopListening = onAbort(signal, () => void endOnHost(login, database, connection));
  try {
    await run(connection, 'SET NAMES utf8mb4', 0, signal);
    const splitter = new SqlSplitter();
    let count = 0;
    for await (const chunk of input) {
      for (const statement of splitter.push(chunk)) {
        await run(connection, withoutDefiner(statement), ++count, signal);
      }
    }
    for (const statement of splitter.end()) await run(connection, withoutDefiner(statement), ++count, signal);
  } finally {
    stopListening();
    connection.destroy();
  }
}

async function connect({ address, port, username, password }: DumpLogin, database: string): Promise<Connection> {
  const options = {
    host: address,
    port,
    user: username,
    password,
    database,
    charset: 'LATIN1_SWEDISH_CI',
    flags: noTracking,
    // else the driver searches every statement for placeholders
    queryFormat: (statement: string) => statement,
  };
  try {
    const connection = await createConnection({ ...options, connectTimeout: connectMs, multipleStatements: false });
    // Without a listener a connection that breaks between two statements ends the process.
    connection.on('error', () => undefined);
    return connection;
  } catch (error) {
    throw hostUnreachable('host', error instanceof Error ? error.message : String(error), error);
  }
}

/** A host continues statements of closed connections. Users may end their own sessions. */
async function endOnHost(login: DumpLogin, database: string, { threadId }: Connection): Promise<void> {
  try {
    const other = await connect(login, database);
    await other.query(`KILL CONNECTION ${Math.trunc(threadId)}`).finally(() => other.destroy());
  } catch {
    // Unreachable, or no connection left: the statement ends by itself.
  }
}

async function run(connection: Connection, statement: string, count: number, signal: AbortSignal): Promise<void> {
  try {
    // Queries of a destroyed connection never settle.
    await raceAbort(connection.query(statement), signal);
  } catch (error) {
    signal.throwIfAborted();
    // Only comments.
    if (error instanceof Error && 'errno' in error && error.errno === emptyQuery) return;
    const output = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    throw fail(
      'DATABASE_DUMP_FAILED',
      `statement ${count} of the dump failed`,
      { statement: count, output },
      { cause: error },
    );
  }
}
