import type { DatabaseHost, ServerDatabase } from '../../domain/databases/database.js';

/** How to reach a host as its administrator. */
export type HostConnection = Pick<DatabaseHost, 'engine' | 'address' | 'port' | 'username' | 'password'>;

/** A database with its user, as the host has to have it. */
export type DatabaseSpec = Pick<ServerDatabase, 'name' | 'username' | 'remote' | 'maxConnections'>;

/** What a host has of databases and users that are named as the panel names its own. */
interface HostInventory {
  readonly databases: readonly string[];
  readonly users: readonly string[];
}

/** A login that may read and write one database, for as long as a dump takes. */
export interface DumpLogin {
  /** An IP address: what the name resolved to when it was checked. */
  readonly address: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Ends the login. */
  close(): Promise<void>;
}

/**
 * An engine that databases of game servers are made in. Every call connects by itself, ends within its time, and throws
 * DATABASE_HOST_UNREACHABLE before the host has seen a statement, DATABASE_HOST_REFUSED for what the host does not do.
 */
export interface DatabaseEngine {
  /** What the host calls itself. */
  version(host: HostConnection): Promise<string>;
  exists(host: HostConnection, name: string): Promise<boolean>;
  /** Make a database, its user and the least rights. Can be repeated after it was interrupted anywhere. */
  create(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Replace the password, and end the sessions of the user as far as the rights of the administrator go. Idempotent. */
  setPassword(host: HostConnection, spec: DatabaseSpec, password: string): Promise<void>;
  /** Remove both, whatever of them is there. Idempotent. */
  drop(host: HostConnection, spec: DatabaseSpec): Promise<void>;
  /** Bytes by name; databases that are not there are left out. */
  sizes(host: HostConnection, names: readonly string[]): Promise<Map<string, number>>;
  inventory(host: HostConnection): Promise<HostInventory>;
  /** `password` is the one of the database's user. */
  openDumpLogin(host: HostConnection, spec: DatabaseSpec, password: string): Promise<DumpLogin>;
}
