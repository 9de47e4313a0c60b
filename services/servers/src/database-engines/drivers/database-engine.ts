import type { DatabaseHost, ServerDatabase } from '../../domain/databases/database.js';

/** Administrator login of a host. */
export type HostConnection = Pick<DatabaseHost, 'engine' | 'address' | 'port' | 'username' | 'password'>;

/** A database and its user. */
export type DatabaseSpec = Pick<ServerDatabase, 'name' | 'username' | 'remote' | 'maxConnections'>;

/** Databases and users with names of the panel's pattern. */
interface HostInventory {
  readonly databases: readonly string[];
  readonly users: readonly string[];
}

/** A login for the duration of a dump, limited to one database. */
export interface DumpLogin {
  /** The IP address that the guard has checked. */
  readonly address: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * Each call has its own connection and timeout. It throws DATABASE_HOST_UNREACHABLE if the host got no statement,
 * DATABASE_HOST_REFUSED if the host rejects one.
 */
export interface DatabaseEngine {
  version(host: HostConnection): Promise<string>;
  exists(host: HostConnection, name: string): Promise<boolean>;
  /** Makes a database and its user with the least privileges. Repeatable after any interruption. */
  create(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Replaces the password; ends the user's sessions if the administrator may. Idempotent. */
  setPassword(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Removes database and user. Idempotent. */
  drop(host: HostConnection, spec: DatabaseSpec): Promise<void>;
  /** Bytes by name, without missing databases. */
  sizes(host: HostConnection, names: readonly string[]): Promise<Map<string, number>>;
  inventory(host: HostConnection): Promise<HostInventory>;
  /** `password` is that of the database's user. */
  openDumpLogin(host: HostConnection, spec: DatabaseSpec, password: string): Promise<DumpLogin>;
}
