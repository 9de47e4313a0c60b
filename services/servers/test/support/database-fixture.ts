import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { DatabaseEngine } from '@panel/protos/servers';
import { type TestDatabaseServer, testMariadb, testPostgresql } from '@panel/testing';
import type { Clients } from './harness.js';

export interface Login {
  readonly username: string;
  readonly password: string;
  readonly name: string;
}

/** Direct access to one engine. */
export interface TestEngine {
  readonly title: string;
  readonly engine: DatabaseEngine;
  start(): Promise<TestDatabaseServer | null>;
  /** Rejects if the login or a statement fails. */
  query(server: TestDatabaseServer, login: Login, ...statements: string[]): Promise<Record<string, unknown>[]>;
  /** For administrator queries. */
  readonly maintenance: string;
  /** Statements that list a column `name`. */
  readonly databases: string;
  readonly users: string;
}

export const mysql: TestEngine = {
  title: 'MariaDB',
  engine: DatabaseEngine.MYSQL,
  maintenance: 'mysql',
  databases: 'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA',
  users: 'SELECT User AS name FROM mysql.user',
  start: testMariadb,
  query: async ({ host, port }, { username: user, password, name: database }, ...statements) => {
    const connection = await createConnection({ host, port, user, password, database, multipleStatements: false });
    try {
      let rows: unknown = [];
      for (const statement of statements) [rows] = await connection.query(statement);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    } finally {
      connection.destroy();
    }
  },
};

export const postgresql: TestEngine = {
  title: 'PostgreSQL',
  engine: DatabaseEngine.POSTGRESQL,
  maintenance: 'postgres',
  databases: 'SELECT datname AS name FROM pg_database',
  users: 'SELECT rolname AS name FROM pg_roles',
  start: testPostgresql,
  query: async ({ host, port }, { username: user, password, name: database }, ...statements) => {
    const client = new Client({ host, port, user, password, database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    } finally {
      await client.end();
    }
  },
};

export const engines = [mysql, postgresql];

export function hostRequest({ engine }: TestEngine, server: TestDatabaseServer, changes: object = {}) {
  return {
    name: 'host',
    engine,
    address: server.host,
    port: server.port,
    username: server.username,
    password: server.password,
    nodeIds: [],
    maxDatabases: undefined,
    maxConnections: 0,
    ...changes,
  };
}

export async function addHost(clients: Clients, request: ReturnType<typeof hostRequest>): Promise<string> {
  const { host } = await clients.databaseHosts.createDatabaseHost(request);
  return host?.id ?? '';
}

/** Names of the panel's pattern. */
export async function panelNames(engine: TestEngine, server: TestDatabaseServer): Promise<string[]> {
  const login = { username: server.username, password: server.password, name: engine.maintenance };
  const rows = [
    ...(await engine.query(server, login, engine.databases)),
    ...(await engine.query(server, login, engine.users)),
  ];
  return rows.map(({ name }) => String(name)).filter((name) => /^[su][0-9a-f]{8}_/.test(name));
}

export async function canLogIn(engine: TestEngine, server: TestDatabaseServer, login: Login): Promise<boolean> {
  return engine.query(server, login, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
