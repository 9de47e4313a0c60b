import type { AddressGuard } from '@panel/kit/net';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { isPanelDatabase, isPanelUser } from '../../domain/databases/check-database.js';
import { fail } from '../../reasons.js';
import { scramVerifier } from '../secrets.js';
import type { DatabaseEngine, DatabaseSpec, HostConnection } from './database-engine.js';
import { hostRefused, hostUnreachable, resolveHost, withTimeout } from './host-address.js';

const connectMs = 3_000;
const callMs = 8_000;
/** Deletes the database's files. */
const dropMs = 40_000;
const maintenanceDatabase = 'postgres';

/** PostgreSQL 13 or newer. Only the owner may connect. */
export function createPostgresqlEngine(guard: Pick<AddressGuard, 'lookup'>): DatabaseEngine {
  const use = <T>(host: HostConnection, work: (client: Client) => Promise<T>, timeoutMs = callMs) =>
    withAdministrator(guard, host, work, timeoutMs);
  const databaseExists = async (client: Client, name: string) =>
    (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rowCount === 1;
  const roleExists = async (client: Client, name: string) =>
    (await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name])).rowCount === 1;
  return {
    version: (host) =>
      use(host, async (client) => {
        const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
        return `PostgreSQL ${rows[0]?.server_version ?? ''}`.slice(0, 100);
      }),
    exists: (host, name) => use(host, (client) => databaseExists(client, name)),
    create: (host, spec, password) =>
      use(host, async (client) => {
        const [role, database] = [escapeIdentifier(spec.username), escapeIdentifier(spec.name)];
        if (!(await roleExists(client, spec.username))) await client.query(`CREATE ROLE ${role} NOLOGIN`);
        // Ownership by another role requires membership.
        await client.query(`GRANT ${role} TO CURRENT_USER`);
        if (!(await databaseExists(client, spec.name))) {
          // A session on the template makes the copy fail; template0 has none.
          await client.query(`CREATE DATABASE ${database} OWNER ${role} TEMPLATE template0 ENCODING 'UTF8'`);
        }
        await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
        // Login comes last: until then others may have access.
        await client.query(`ALTER ROLE ${role} ${loginOf(spec)} PASSWORD ${escapeLiteral(scramVerifier(password))}`);
      }),
    setPassword: (host, spec, password) =>
      use(host, async (client) => {
        const verifier = escapeLiteral(scramVerifier(password));
        await client.query(`ALTER ROLE ${escapeIdentifier(spec.username)} PASSWORD ${verifier}`);
        await endSessions(client, spec);
      }),
    drop: (host, spec) =>
      use(
        host,
        async (client) => {
          const role = escapeIdentifier(spec.username);
          if (await roleExists(client, spec.username)) await client.query(`ALTER ROLE ${role} NOLOGIN`);
          await endSessions(client, spec);
          if (await databaseExists(client, spec.name)) {
            await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(spec.name)} WITH (FORCE)`);
          }
          await client.query(`DROP ROLE IF EXISTS ${role}`);
        },
        dropMs,
      ),
    sizes: (host, names) =>
      use(host, async (client) => {
        const sql = 'SELECT datname, pg_database_size(oid)::text AS bytes FROM pg_database WHERE datname = ANY($1)';
        const { rows } = await client.query<{ datname: string; bytes: string }>(sql, [[...names]]);
        return new Map(rows.map(({ datname, bytes }) => [datname, Number(bytes)]));
      }),
    inventory: (host) =>
      use(host, async (client) => {
        const databases = await client.query<{ name: string }>('SELECT datname AS name FROM pg_database');
        const roles = await client.query<{ name: string }>('SELECT rolname AS name FROM pg_roles');
        return {
          databases: databases.rows.map(({ name }) => name).filter(isPanelDatabase),
          users: roles.rows.map(({ name }) => name).filter(isPanelUser),
        };
      }),
    openDumpLogin: async (host, spec, password) => ({
      address: await resolveHost(guard, host.address),
      port: host.port,
      username: spec.username,
      password,
      close: async () => undefined,
    }),
  };
}

/** PostgreSQL counts -1 as unlimited. */
function loginOf({ maxConnections }: DatabaseSpec): string {
  return `LOGIN CONNECTION LIMIT ${maxConnections === 0 ? -1 : Math.trunc(maxConnections)}`;
}

async function endSessions(client: Client, { username }: DatabaseSpec): Promise<void> {
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [username]);
}

async function withAdministrator<T>(
  guard: Pick<AddressGuard, 'lookup'>,
  host: HostConnection,
  work: (client: Client) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const client = await connect(guard, host);
  try {
    return await withTimeout(timeoutMs, () => destroy(client), work(client));
  } catch (error) {
    if (error instanceof Error && 'reason' in error) throw error;
    throw isServerError(error) ? hostRefused(error.message, error) : hostUnreachable('host', String(error), error);
  } finally {
    destroy(client);
  }
}

async function connect(guard: Pick<AddressGuard, 'lookup'>, host: HostConnection): Promise<Client> {
  if (host.password === null) {
    throw fail(
      'DATABASE_HOST_UNREACHABLE',
      'the password of the host does not open: have the ENCRYPTION_KEYS changed?',
    );
  }
  const address = await resolveHost(guard, host.address);
  const client = new Client({
    host: address,
    port: host.port,
    user: host.username,
    password: host.password,
    database: maintenanceDatabase,
    connectionTimeoutMillis: connectMs,
    application_name: 'panel',
  });
  // Without a listener a connection that breaks between two statements ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    destroy(client);
    const field = isServerError(error) ? 'username' : 'host';
    throw hostUnreachable(field, error instanceof Error ? error.message : String(error), error);
  }
}

/** `end()` waits for an answer that a broken host never sends. */
function destroy(client: Client): void {
  client.end().catch(() => undefined);
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  setTimeout(() => stream.destroy(), 100).unref();
}

/** SQLSTATE of the engine; 57P is a shutdown. */
function isServerError(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|08|EPIPE)/.test(code);
}
