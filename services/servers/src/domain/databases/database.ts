export const engineKinds = ['mysql', 'postgresql'] as const;
/** `mysql` is MariaDB and MySQL. */
export type EngineKind = (typeof engineKinds)[number];

/** A server of a database engine on which databases of game servers are made. */
export interface DatabaseHost {
  readonly id: string;
  readonly name: string;
  readonly engine: EngineKind;
  /** Host name or IP address; games connect to it, too. */
  readonly address: string;
  readonly port: number;
  readonly username: string;
  /** In clear; sealed in the database. Null: it does not open with any of the ENCRYPTION_KEYS. */
  readonly password: string | null;
  /** Empty: for servers of all nodes. */
  readonly nodeIds: readonly string[];
  /** Null: unlimited. */
  readonly maxDatabases: number | null;
  /** Sessions of one user at a time, for databases made from now on; 0 unlimited. */
  readonly maxConnections: number;
  /** What the host called itself when it was last tested. */
  readonly version: string;
  readonly databasesCount: number;
  readonly report: HostReport;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Fields of a host that operators set. */
export type DatabaseHostFields = Pick<
  DatabaseHost,
  'name' | 'engine' | 'address' | 'port' | 'username' | 'nodeIds' | 'maxDatabases' | 'maxConnections'
> & { readonly password: string };

/** What a comparison of a host with the records has found. */
export interface HostReport {
  /** Null before the first comparison. */
  readonly checkedAt: Date | null;
  readonly isReachable: boolean;
  /** Why the last comparison failed; null when it did not. */
  readonly error: string | null;
  readonly orphanDatabases: readonly string[];
  readonly orphanUsers: readonly string[];
  readonly missingDatabases: readonly string[];
}

export const databaseStates = ['creating', 'active', 'deleting'] as const;
/**
 * `creating`: recorded, and made on the host by the holder of the lease. `deleting`: to be dropped on the host; the
 * record goes last.
 */
export type DatabaseState = (typeof databaseStates)[number];

export interface ServerDatabase {
  readonly id: string;
  readonly serverId: string;
  readonly hostId: string;
  readonly engine: EngineKind;
  /** On the host. */
  readonly name: string;
  readonly username: string;
  /** In clear; sealed in the database. Null: it does not open with any of the ENCRYPTION_KEYS. */
  readonly password: string | null;
  /** A rotation in progress: the host may have either password. Null: none. */
  readonly pendingPassword: string | null;
  readonly remote: string;
  readonly maxConnections: number;
  readonly state: DatabaseState;
  /** Whether something may exist on the host: set before the first statement there. */
  readonly isOnHost: boolean;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A host that a game server of a node may have databases on. */
export function servesNode({ nodeIds }: Pick<DatabaseHost, 'nodeIds'>, nodeId: string): boolean {
  return nodeIds.length === 0 || nodeIds.includes(nodeId);
}

/**
 * Hosts for a new database, the best first: MySQL before PostgreSQL unless an engine is named, hosts of the node before
 * shared ones, emptier ones before fuller ones.
 */
export function rankHosts(
  hosts: readonly DatabaseHost[],
  nodeId: string,
  engine: EngineKind | null,
): readonly DatabaseHost[] {
  const rank = ({ engine: kind, nodeIds, databasesCount }: DatabaseHost) =>
    [kind === 'mysql' ? 0 : 1, nodeIds.length === 0 ? 1 : 0, databasesCount] as const;
  const candidates = hosts.filter((host) => servesNode(host, nodeId) && (engine === null || host.engine === engine));
  return candidates.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
  });
}
