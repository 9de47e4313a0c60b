export interface GameNode {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly fqdn: string;
  readonly tags: readonly string[];
  readonly runtime: RuntimeKind;
  readonly engine: Engine;
  /** Empty: the configured default. */
  readonly filesAddress: string;
  readonly dataRoot: string;
  /** Identity of the data root; empty: that of the first contact. */
  readonly dataRootId: string;
  readonly memoryMb: number;
  /** Percent on top; -1: unlimited. */
  readonly memoryOverallocatePercent: number;
  readonly diskMb: number;
  readonly diskOverallocatePercent: number;
  /** 100 is one core; 0: unlimited. */
  readonly cpuPercent: number;
  readonly maintenanceMode: boolean;
  readonly uploadLimitMb: number;
  /** Empty: through the gateway. */
  readonly publicUrl: string;
  readonly allocated: Allocated;
  readonly health: NodeHealth;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NodeName {
  readonly name: string;
  readonly revision: number;
}

/** Without reservation sums, whose cost grows with the servers. */
export type NodeConnection = Omit<GameNode, 'allocated'>;

export type RuntimeKind = 'docker' | 'process';

/** The PEM texts never leave the service. */
export interface Engine {
  /** unix:///path or tcp://host:port; empty: process runtime. */
  readonly url: string;
  readonly tlsCa: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
}

export interface Allocated {
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuPercent: number;
  readonly servers: number;
}

/** From the node's watcher. */
export interface NodeHealth {
  readonly isReachable: boolean;
  /** Null before the first check. */
  readonly checkedAt: Date | null;
  readonly lastSeenAt: Date | null;
  /** With the panel's label but no server: reported, never changed. */
  readonly unknownInstances: readonly string[];
  /** Null when reachable. */
  readonly reason: string | null;
}

/** 0: unlimited. */
export interface ResourceRequest {
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuPercent: number;
}

export function resourceRequestOf({ memoryMb, diskMb, cpuPercent }: ResourceRequest): ResourceRequest {
  return { memoryMb, diskMb, cpuPercent };
}

export type NodeFields = Omit<GameNode, 'id' | 'allocated' | 'health' | 'createdAt' | 'updatedAt'>;

/** Then the status is unknown. */
const staleAfterMs = 60_000;

export type NodeStatus = 'online' | 'offline' | 'unknown';

export function nodeStatus({ isReachable, checkedAt }: NodeHealth, now: Date): NodeStatus {
  if (checkedAt === null || now.getTime() - checkedAt.getTime() > staleAfterMs) return 'unknown';
  return isReachable ? 'online' : 'offline';
}

export interface ObservedNode extends GameNode {
  readonly observedAt: Date;
}

/** Infinity: unlimited. */
export function capacity(total: number, overallocatePercent: number): number {
  return overallocatePercent === -1 ? Infinity : Math.floor((total * (100 + overallocatePercent)) / 100);
}

/** Null: it fits. */
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

/** Without new keys the stored ones stay (write-only), except for a local socket. */
export function mergeEngine(before: Engine, update: Engine): Engine {
  const hasKeys = update.tlsCa !== '' || update.tlsCert !== '' || update.tlsKey !== '';
  const url = update.url === '' ? before.url : update.url;
  if (hasKeys) return { ...update, url };
  return url.startsWith('unix://') ? { url, tlsCa: '', tlsCert: '', tlsKey: '' } : { ...before, url };
}
