import type { Logger } from '@panel/kit/process';
import type { Runtime } from '@panel/runtime';
import type { GameNode } from '../domain/nodes/node.js';
import { closeHour, countSample, endOfHour, hourOf, openHour, type UsageSample } from '../domain/usage/usage-hour.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { ServerState, ServerStore } from '../models/servers/server.js';
import type { UsageStore } from '../models/usage/usage-hour.js';
import type { NodeFiles } from '../node-clients/files.js';
import type { Runtimes } from '../node-clients/runtimes.js';

interface MeasureDeps {
  readonly usage: UsageStore;
  readonly servers: Pick<ServerStore, 'meteredStatesOfNodes'>;
  readonly nodes: Pick<NodeStore, 'getMany'>;
  readonly runtimes: Pick<Runtimes, 'of'>;
  readonly files: Pick<NodeFiles, 'usage'>;
  readonly clock: () => Date;
  readonly log: Logger;
}

const parallel = 8;
/** They use only disk, which changes slowly. */
const offSampleMs = 10 * 60_000;
const bytesPerMb = 1024 * 1024;

/** By each node's watcher; concurrent runs count nothing twice. */
export async function measureUsage(deps: MeasureDeps, nodeIds: readonly string[], signal: AbortSignal): Promise<void> {
  if (nodeIds.length === 0) return;
  const states = await deps.servers.meteredStatesOfNodes(nodeIds);
  if (states.length === 0) return;
  const nodes = new Map((await deps.nodes.getMany(nodeIds)).map((node) => [node.id, node]));
  const queue = states.values();
  const work = async () => {
    for (const state of queue) {
      const node = nodes.get(state.nodeId);
      if (signal.aborted) return;
      if (!node) continue;
      try {
        await measureServer(deps, state, node);
      } catch (error) {
        deps.log.warn({ err: error, serverId: state.id }, 'the usage of a server was not measured');
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

async function measureServer(deps: MeasureDeps, state: ServerState, node: GameNode): Promise<void> {
  const latest = await deps.usage.latest(state.id);
  const isOn = state.power.state !== 'offline';
  const now = deps.clock();
  const isSame = latest && !latest.isOn && !isOn && latest.hour.getTime() === hourOf(now).getTime();
  if (isSame && now.getTime() - latest.sampledAt.getTime() < offSampleMs) return;
  const [networkBytes, diskBytes] = await Promise.all([
    isOn ? readNetworkBytes(deps.runtimes.of(node), state.id) : null,
    deps.files.usage(node, state),
  ]);
  await recordSample(deps.usage, state.id, {
    at: deps.clock(),
    isOn,
    changedAt: state.power.changedAt,
    generation: state.power.generation,
    memoryMb: state.limits.memoryMb,
    diskMb: Math.round(diskBytes / bytesPerMb),
    networkBytes,
  });
}

/**
 * Past hours first, then the current one. Each write requires no other since; the loser stops, and the next sample
 * continues.
 */
export async function recordSample(usage: UsageStore, serverId: string, sample: UsageSample): Promise<void> {
  let current = await usage.latest(serverId);
  if (!current) {
    await usage.open(openHour(serverId, sample.at, { ...sample, networkBytes: sample.networkBytes ?? 0 }));
    return;
  }
  while (endOfHour(current) <= sample.at) {
    const closed = closeHour(current, sample);
    if (closed.sampledAt > current.sampledAt && !(await usage.count(current, closed))) return;
    // After a long gap, continue at the sample.
    const end = endOfHour(current);
    const isLong = sample.at.getTime() - end.getTime() > 2 * (end.getTime() - current.hour.getTime());
    const next = openHour(serverId, isLong ? hourOf(sample.at) : end, closed);
    if (!(await usage.open(next))) return;
    current = next;
  }
  if (sample.at > current.sampledAt) await usage.count(current, countSample(current, sample));
}

/** Null: not running. */
async function readNetworkBytes(runtime: Runtime, serverId: string): Promise<number | null> {
  const sample = await runtime.sampleUsage(serverId);
  return sample && sample.networkRxBytes + sample.networkTxBytes;
}
