/** A machine that runs game servers. */
export interface GameNode {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly fqdn: string;
  readonly tags: readonly string[];
  readonly runtime: RuntimeKind;
  readonly engine: Engine;
  /** gRPC target of the files service on the node; empty means the one of the configuration. */
  readonly filesAddress: string;
  readonly dataRoot: string;
  readonly memoryMb: number;
  /** Percent on top; -1 means no limit. */
  readonly memoryOverallocatePercent: number;
  readonly diskMb: number;
  readonly diskOverallocatePercent: number;
  /** Percent of one core; 0 means not limited. */
  readonly cpuPercent: number;
  readonly maintenanceMode: boolean;
  readonly uploadLimitMb: number;
  /** Where customers reach the files process of the node themselves; empty: through the gateway. */
  readonly publicUrl: string;
  readonly allocated: Allocated;
  readonly health: NodeHealth;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The name of a node; every change of it has a higher revision. */
export interface NodeName {
  readonly name: string;
  readonly revision: number;
}

/** A node without the sums of what its servers reserve, which cost as much as there are servers: for reaching it. */
export type NodeConnection = Omit<GameNode, 'allocated'>;

export type RuntimeKind = 'docker' | 'process';

/** How to reach a container engine. The three PEM texts are secret and never leave the service. */
export interface Engine {
  /** unix:///path or tcp://host:port; empty for the process runtime. */
  readonly url: string;
  readonly tlsCa: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
}

/** What the servers of a node reserve. */
export interface Allocated {
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuPercent: number;
  readonly servers: number;
}

/** What the replica that watches the node last saw. */
export interface NodeHealth {
  readonly isReachable: boolean;
  /** When it last looked; null before the first time. */
  readonly checkedAt: Date | null;
  readonly lastSeenAt: Date | null;
  /** Instances labelled as ours that belong to no server here: reported, never touched. */
  readonly unknownInstances: readonly string[];
  /** Why it could not be reached; null when it could. */
  readonly reason: string | null;
}

/** What one server takes of its node. 0 means not limited and counts nothing. */
export interface ResourceRequest {
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuPercent: number;
}

/** What a server with these limits takes. */
export function resourceRequestOf({ memoryMb, diskMb, cpuPercent }: ResourceRequest): ResourceRequest {
  return { memoryMb, diskMb, cpuPercent };
}

/** Fields of a node that operators set. */
export type NodeFields = Omit<GameNode, 'id' | 'allocated' | 'health' | 'createdAt' | 'updatedAt'>;

/** Without a check for this long the state of a node is unknown. */
const staleAfterMs = 60_000;

export type NodeStatus = 'online' | 'offline' | 'unknown';

export function nodeStatus({ isReachable, checkedAt }: NodeHealth, now: Date): NodeStatus {
  if (checkedAt === null || now.getTime() - checkedAt.getTime() > staleAfterMs) return 'unknown';
  return isReachable ? 'online' : 'offline';
}

/** A node with the time for which its status is shown. */
export interface ObservedNode extends GameNode {
  readonly observedAt: Date;
}

/** The most that may be reserved, or Infinity. */
export function capacity(total: number, overallocatePercent: number): number {
  return overallocatePercent === -1 ? Infinity : Math.floor((total * (100 + overallocatePercent)) / 100);
}

/** The first resource of which a node has not enough for a demand, or null. */
export function insufficientResource(
  node: Pick<
    GameNode,
    'memoryMb' | 'memoryOverallocatePercent' | 'diskMb' | 'diskOverallocatePercent' | 'cpuPercent' | 'allocated'
  >,
  resources: ResourceRequest,
): 'memory' | 'disk' | 'cpu' | null {
  const { allocated } = node;
  if (allocated.memoryMb + resources.memoryMb > capacity(node.memoryMb, node.memoryOverallocatePercent))
    return 'memory';
  if (allocated.diskMb + resources.diskMb > capacity(node.diskMb, node.diskOverallocatePercent)) return 'disk';
  if (node.cpuPercent > 0 && allocated.cpuPercent + resources.cpuPercent > node.cpuPercent) return 'cpu';
  return null;
}

/**
 * The engine after an update. Keys are write-only, so a change of the URL cannot send them back: without new keys the
 * stored ones stay, unless the engine is now at a local socket, which has none.
 */
export function mergeEngine(before: Engine, update: Engine): Engine {
  const hasKeys = update.tlsCa !== '' || update.tlsCert !== '' || update.tlsKey !== '';
  const url = update.url === '' ? before.url : update.url;
  if (hasKeys) return { ...update, url };
  return url.startsWith('unix://') ? { url, tlsCa: '', tlsCert: '', tlsKey: '' } : { ...before, url };
}
