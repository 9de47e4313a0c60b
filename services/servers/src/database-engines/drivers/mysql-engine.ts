import type { AddressGuard } from '@panel/kit/net';
import { type Connection, createConnection, escape, escapeId, type RowDataPacket } from 'mysql2/promise';
import { isPanelDatabase, isPanelUser } from '../../domain/databases/check-database.js';
import { fail } from '../../reasons.js';
import { createPassword } from '../secrets.js';
import type { DatabaseEngine, DatabaseSpec, HostConnection } from './database-engine.js';
import { hostRefused, hostUnreachable, resolveHost, withTimeout } from './host-address.js';

const connectMs = 3_000;
const callMs = 8_000;
/** Deletes the schema's files. */
const dropMs = 40_000;

/** Everything within one schema; no GRANT OPTION, nothing global. */
const privileges = [
  'ALTER',
  'ALTER ROUTINE',
  'CREATE',
  'CREATE ROUTINE',
  'CREATE TEMPORARY TABLES',
  'CREATE VIEW',
  'DELETE',
  'DROP',
  'EVENT',
  'EXECUTE',
  'INDEX',
  'INSERT',
  'LOCK TABLES',
  'REFERENCES',
  'SELECT',
  'SHOW VIEW',
  'TRIGGER',
  'UPDATE',
].join(', ');

export function createMysqlEngine(guard: Pick<AddressGuard, 'lookup'>): DatabaseEngine {
  const use = <T>(host: HostConnection, work: (connection: Connection) => Promise<T>, timeoutMs = callMs) =>
    withAdministrator(guard, host, work, timeoutMs);
  return {
    version: (host) =>
      use(host, async (connection) => {
        const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
        return String(rows[0]?.['version'] ?? '').slice(0, 100);
      }),
    exists: (host, name) =>
      use(host, async (connection) => {
        const sql = 'SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?';
        const [rows] = await connection.query<RowDataPacket[]>(sql, [name]);
        return rows.length > 0;
      }),
    create: (host, spec, password) =>
      use(host, async (connection) => {
        await connection.query(`CREATE DATABASE IF NOT EXISTS ${escapeId(spec.name, true)} CHARACTER SET utf8mb4`);
        await createUser(connection, spec, spec.remote, password);
      }),
    setPassword: (host, spec, password) =>
      use(host, async (connection) => {
        await connection.query(`ALTER USER ${account(spec, spec.remote)} IDENTIFIED BY ${escape(password)}`);
        await endSessions(connection, spec.username);
      }),
    drop: (host, spec) =>
      use(
        host,
        async (connection) => {
          for (const remote of new Set([spec.remote, '%'])) {
            await connection.query(`DROP USER IF EXISTS ${account(spec, remote)}`);
          }
          await endSessions(connection, spec.username);
          await connection.query(`DROP DATABASE IF EXISTS ${escapeId(spec.name, true)}`);
        },
        dropMs,
      ),
    sizes: (host, names) =>
      use(host, async (connection) => {
        if (names.length === 0) return new Map();
        await refuseOldStatistics(connection);
        const sql =
          'SELECT s.SCHEMA_NAME AS name, COALESCE(SUM(t.DATA_LENGTH + t.INDEX_LENGTH), 0) AS bytes ' +
          'FROM information_schema.SCHEMATA s LEFT JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = s.SCHEMA_NAME ' +
          'WHERE s.SCHEMA_NAME IN (?) GROUP BY s.SCHEMA_NAME';
        const [rows] = await connection.query<RowDataPacket[]>(sql, [[...names]]);
        return new Map(rows.map((row) => [String(row['name']), Number(row['bytes'])]));
      }),
    inventory: (host) =>
      use(host, async (connection) => {
        const schemas = 'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA';
        const [databases] = await connection.query<RowDataPacket[]>(schemas);
        const [users] = await connection.query<RowDataPacket[]>('SELECT DISTINCT User AS name FROM mysql.user');
        const names = (rows: RowDataPacket[]) => rows.map((row) => String(row['name']));
        return { databases: names(databases).filter(isPanelDatabase), users: names(users).filter(isPanelUser) };
      }),
    openDumpLogin: async (host, spec, password) => {
      const address = await resolveHost(guard, host.address);
      const login = { address, port: host.port, username: spec.username };
      if (spec.remote === '%') return { ...login, password, close: async () => undefined };
      // The user may not connect from here: one of the same name and privileges may until the end of the dump. Then it
      // is locked, not dropped: views, triggers and routines have it as definer.
      const own = createPassword();
      await use(host, async (connection) => {
        await createUser(connection, spec, '%', own);
        await connection.query(`ALTER USER ${account(spec, '%')} ACCOUNT UNLOCK`);
      });
      const lock = `ALTER USER IF EXISTS ${account(spec, '%')} ACCOUNT LOCK`;
      return { ...login, password: own, close: async () => void (await use(host, (one) => one.query(lock))) };
    },
  };
}

function account({ username }: Pick<DatabaseSpec, 'username'>, remote: string): string {
  return `${escape(username)}@${escape(remote)}`;
}

async function createUser(connection: Connection, spec: DatabaseSpec, remote: string, password: string): Promise<void> {
  const user = account(spec, remote);
  const identity = `${user} IDENTIFIED BY ${escape(password)} WITH MAX_USER_CONNECTIONS ${Math.trunc(spec.maxConnections)}`;
  await connection.query(`CREATE USER IF NOT EXISTS ${identity}`);
  // A crash may have left the user without its attributes.
  await connection.query(`ALTER USER ${identity}`);
  const schema = escapeId(await grantPattern(connection, spec.name), true);
  await connection.query(`GRANT ${privileges} ON ${schema}.* TO ${user}`);
}

/** "_" and "%" are wildcards in a grant: unescaped, the user would reach schemas of similar names. */
async function grantPattern(connection: Connection, name: string): Promise<string> {
  // With partial revokes MySQL takes names literally. MariaDB lacks the variable.
  const [rows] = await connection.query<RowDataPacket[]>("SHOW GLOBAL VARIABLES LIKE 'partial_revokes'");
  return rows[0]?.['Value'] === 'ON' ? name : name.replace(/[_%\\]/g, '\\$&');
}

/** MySQL 8 caches sizes for a day. MariaDB lacks the variable and the cache. */
async function refuseOldStatistics(connection: Connection): Promise<void> {
  try {
    await connection.query('SET SESSION information_schema_stats_expiry = 0');
  } catch (error) {
    if (!isServerError(error)) throw error;
  }
}

/** Administrators may lack the privilege: then old sessions continue. */
async function endSessions(connection: Connection, username: string): Promise<void> {
  const sql = 'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = ?';
  const [rows] = await connection.query<RowDataPacket[]>(sql, [username]);
  for (const row of rows) {
    try {
      await connection.query(`KILL CONNECTION ${Math.trunc(Number(row['id']))}`);
    } catch (error) {
      if (!isServerError(error)) throw error;
    }
  }
}

async function withAdministrator<T>(
  guard: Pick<AddressGuard, 'lookup'>,
  host: HostConnection,
  work: (connection: Connection) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const connection = await connect(guard, host);
  // Without a listener a connection that breaks between two statements ends the process.
  connection.on('error', () => undefined);
  try {
    return await withTimeout(timeoutMs, () => connection.destroy(), work(connection));
  } catch (error) {
    throw isServerError(error) ? hostRefused(messageOf(error), error) : lostConnection(error);
  } finally {
    connection.destroy();
  }
}

async function connect(guard: Pick<AddressGuard, 'lookup'>, host: HostConnection): Promise<Connection> {
  if (host.password === null) {
    throw fail(
      'DATABASE_HOST_UNREACHABLE',
      'the password of the host does not open: have the ENCRYPTION_KEYS changed?',
    );
  }
  const address = await resolveHost(guard, host.address);
  const options = { host: address, port: host.port, user: host.username, password: host.password };
  try {
    return await createConnection({ ...options, connectTimeout: connectMs, charset: 'utf8mb4' });
  } catch (error) {
    throw hostUnreachable(isServerError(error) ? 'username' : 'host', messageOf(error), error);
  }
}

function lostConnection(error: unknown) {
  return error instanceof Error && 'reason' in error ? error : hostUnreachable('host', messageOf(error), error);
}

function isServerError(error: unknown): error is Error {
  return error instanceof Error && 'sqlState' in error && 'errno' in error && Number(error.errno) >= 1000;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A refused connection has a code but no message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'the connection failed';
  return error.message || code;
}
