import type { DatabaseHost, ServerDatabase } from '../../domain/databases/database.js';

export type HostConnection = Pick<DatabaseHost, 'engine' | 'address' | 'port' | 'username' | 'password'>;

export type DatabaseSpec = Pick<ServerDatabase, 'name' | 'username' | 'remote' | 'maxConnections'>;

/** Names of the panel's pattern. */
interface HostInventory {
  readonly databases: readonly string[];
  readonly users: readonly string[];
}

/** For one database and dump. */
export interface DumpLogin {
  /** Checked by the guard. */
  readonly address: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * Each call has its own connection and timeout. Throws DATABASE_HOST_UNREACHABLE if the host got no statement,
 * DATABASE_HOST_REFUSED if it rejects one.
 */
export interface DatabaseEngine {
  version(host: HostConnection): Promise<string>;
  exists(host: HostConnection, name: string): Promise<boolean>;
  /** Least privileges. Repeatable after any interruption. */
  create(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Ends the user's sessions if the administrator may. Idempotent. */
  setPassword(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Idempotent. */
  drop(host: HostConnection, spec: DatabaseSpec): Promise<void>;
  /** Bytes by name, without missing databases. */
  sizes(host: HostConnection, names: readonly string[]): Promise<Map<string, number>>;
  inventory(host: HostConnection): Promise<HostInventory>;
  /** `password`: the database user's. */
  openDumpLogin(host: HostConnection, spec: DatabaseSpec, password: string): Promise<DumpLogin>;
}
