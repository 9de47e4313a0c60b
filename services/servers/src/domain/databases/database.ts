import { count, date, flag, id, listOf, number, oneOf, orNull, part, type RecordOf, text } from '@panel/kit/records';

const engineKinds = ['mysql', 'postgresql'] as const;
/** `mysql` is MariaDB and MySQL. */
export type EngineKind = (typeof engineKinds)[number];

export type DatabaseHostFields = Pick<
  DatabaseHost,
  'name' | 'engine' | 'address' | 'port' | 'username' | 'nodeIds' | 'maxDatabases' | 'maxConnections'
> & { readonly password: string };

const hostReportFields = {
  /** Null before the first comparison. */
  checkedAt: orNull(date),
  isReachable: flag,
  /** Null: success. */
  error: orNull(text),
  orphanDatabases: listOf(text),
  orphanUsers: listOf(text),
  missingDatabases: listOf(text),
};
export type HostReport = RecordOf<typeof hostReportFields>;

export const databaseHostFields = {
  id,
  name: id,
  engine: oneOf(engineKinds),
  /** Also for games. */
  address: id,
  port: count,
  username: id,
  /** Empty: all nodes. */
  nodeIds: listOf(text),
  /** Null: unlimited. */
  maxDatabases: orNull(number),
  /** Per user, for new databases; 0 unlimited. */
  maxConnections: count,
  /** From the last test. */
  version: text,
  report: part(hostReportFields),
  createdAt: date,
  updatedAt: date,
};
export interface DatabaseHost extends RecordOf<typeof databaseHostFields> {
  /** Sealed in storage. Null: no key of ENCRYPTION_KEYS opens it. */
  readonly password: string | null;
  readonly databasesCount: number;
}

/** `creating`: recorded; the lease holder makes it. `deleting`: the record goes last. */
const databaseStates = ['creating', 'active', 'deleting'] as const;

export const databaseFields = {
  id,
  serverId: id,
  hostId: id,
  engine: oneOf(engineKinds),
  /** On the host. */
  name: id,
  username: id,
  remote: id,
  maxConnections: count,
  state: oneOf(databaseStates),
  /** Set before the first statement on the host. */
  isOnHost: flag,
  sizeBytes: count,
  createdAt: date,
  updatedAt: date,
};
export interface ServerDatabase extends RecordOf<typeof databaseFields> {
  /** Sealed in storage. Null: no key of ENCRYPTION_KEYS opens it. */
  readonly password: string | null;
  /** Null: no rotation. Else the host may have either password. */
  readonly pendingPassword: string | null;
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
