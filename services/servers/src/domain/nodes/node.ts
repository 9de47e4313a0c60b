import {
  count,
  date,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
  withDefault,
} from '@panel/kit/records';

export interface NodeName {
  readonly name: string;
  readonly revision: number;
}

/** Without reservation sums, whose cost grows with the servers. */
export type NodeConnection = Omit<GameNode, 'allocated'>;

export type RuntimeKind = 'docker' | 'process';

/** The PEM texts never leave the service. */
const engineFields = {
  /** unix:///path or tcp://host:port; empty: process runtime. */
  url: text,
  tlsCa: text,
  tlsCert: text,
  tlsKey: text,
};
export type Engine = RecordOf<typeof engineFields>;

export interface Allocated {
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuPercent: number;
  readonly servers: number;
}

/** From the node's watcher. */
const healthFields = {
  isReachable: withDefault(flag, false),
  /** Null before the first check. */
  checkedAt: orNull(date),
  lastSeenAt: orNull(date),
  /** With the panel's label but no server: reported, never changed. */
  unknownInstances: listOf(text),
  /** Why it is not reachable, or what is wrong with a reachable one; null: nothing. */
  reason: orNull(text),
  /** Of its network interfaces; absent: not known. */
  addresses: optional({ ...listOf(text), default: undefined }),
  /** Stable word for the reason. */
  problem: optional(orNull(text)),
  /** Of the files service and the engine, ahead of this service; null: not known. */
  filesClockMs: optional(orNull(number)),
  engineClockMs: optional(orNull(number)),
};
export type NodeHealth = RecordOf<typeof healthFields>;

export const nodeFields = {
  id,
  name: id,
  description: text,
  fqdn: text,
  tags: listOf(text),
  runtime: oneOf(['docker', 'process']),
  engine: part(engineFields),
  /** Empty: the configured default. */
  filesAddress: text,
  dataRoot: text,
  /** Identity of the data root; empty: that of the first contact. */
  dataRootId: text,
  memoryMb: count,
  /** Percent on top; -1: unlimited. */
  memoryOverallocatePercent: count,
  diskMb: count,
  diskOverallocatePercent: count,
  /** 100 is one core; 0: unlimited. */
  cpuPercent: count,
  maintenanceMode: flag,
  uploadLimitMb: count,
  /** Empty: through the gateway. */
  publicUrl: text,
  /** Of images, beside its own; absent: none. */
  emulatedPlatforms: optional({ ...listOf(text), default: undefined }),
  health: part(healthFields),
  createdAt: date,
  updatedAt: date,
};
export interface GameNode extends RecordOf<typeof nodeFields> {
  readonly allocated: Allocated;
}

/** 0: unlimited. */
export const resourceFields = { memoryMb: count, diskMb: count, cpuPercent: count };
export type ResourceRequest = RecordOf<typeof resourceFields>;

export function resourceRequestOf({ memoryMb, diskMb, cpuPercent }: ResourceRequest): ResourceRequest {
  return { memoryMb, diskMb, cpuPercent };
}

export type NodeFields = Omit<GameNode, 'id' | 'allocated' | 'health' | 'createdAt' | 'updatedAt'>;

/** Then an instance of one is also seen at the other. */
export function isSameEngine(one: GameNode, other: GameNode): boolean {
  return one.runtime === 'docker' && other.runtime === 'docker' && one.engine.url === other.engine.url;
}

/** For metrics. */
export type NodeFacts = Pick<GameNode, 'id' | 'name' | 'health'> & {
  readonly engine: Pick<Engine, 'tlsCa' | 'tlsCert'>;
};

export interface ObservedNode extends GameNode {
  readonly observedAt: Date;
}

/** Infinity: unlimited. */
function capacity(total: number, overallocatePercent: number): number {
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
  return url.startsWith('unix://') ? withoutKeys({ url }) : { ...before, url };
}

export function withoutKeys({ url }: Pick<Engine, 'url'>): Engine {
  return { url, tlsCa: '', tlsCert: '', tlsKey: '' };
}

/** The key is stored under a secret that ENCRYPTION_KEYS lacks. */
export function isKeySealed({ tlsKey }: Engine): boolean {
  return tlsKey !== '' && !tlsKey.includes('-----BEGIN ');
}
