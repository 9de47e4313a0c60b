export const engineKinds = ['mysql', 'postgresql'] as const;
/** `mysql` is MariaDB and MySQL. */
export type EngineKind = (typeof engineKinds)[number];

export interface DatabaseHost {
  readonly id: string;
  readonly name: string;
  readonly engine: EngineKind;
  /** Also for games. */
  readonly address: string;
  readonly port: number;
  readonly username: string;
  /** Sealed in storage. Null: no key of ENCRYPTION_KEYS opens it. */
  readonly password: string | null;
  /** Empty: all nodes. */
  readonly nodeIds: readonly string[];
  /** Null: unlimited. */
  readonly maxDatabases: number | null;
  /** Per user, for new databases; 0 unlimited. */
  readonly maxConnections: number;
  /** From the last test. */
  readonly version: string;
  readonly databasesCount: number;
  readonly report: HostReport;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type DatabaseHostFields = Pick<
  DatabaseHost,
  'name' | 'engine' | 'address' | 'port' | 'username' | 'nodeIds' | 'maxDatabases' | 'maxConnections'
> & { readonly password: string };

export interface HostReport {
  /** Null before the first comparison. */
  readonly checkedAt: Date | null;
  readonly isReachable: boolean;
  /** Null: success. */
  readonly error: string | null;
  readonly orphanDatabases: readonly string[];
  readonly orphanUsers: readonly string[];
  readonly missingDatabases: readonly string[];
}

export const databaseStates = ['creating', 'active', 'deleting'] as const;
/** `creating`: recorded; the lease holder makes it. `deleting`: the record goes last. */
export type DatabaseState = (typeof databaseStates)[number];

export interface ServerDatabase {
  readonly id: string;
  readonly serverId: string;
  readonly hostId: string;
  readonly engine: EngineKind;
  /** On the host. */
  readonly name: string;
  readonly username: string;
  /** Sealed in storage. Null: no key of ENCRYPTION_KEYS opens it. */
  readonly password: string | null;
  /** Null: no rotation. Else the host may have either password. */
  readonly pendingPassword: string | null;
  readonly remote: string;
  readonly maxConnections: number;
  readonly state: DatabaseState;
  /** Set before the first statement on the host. */
  readonly isOnHost: boolean;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function servesNode({ nodeIds }: Pick<DatabaseHost, 'nodeIds'>, nodeId: string): boolean {
  return nodeIds.length === 0 || nodeIds.includes(nodeId);
}

/** Best first: MySQL unless an engine is named, the node's own hosts, emptier ones. */
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
