import type { Jobs } from '@panel/kit/process';
import type { Volumes } from './volumes.js';

interface UsageSweepDeps {
  /** Of all nodes. */
  readonly usages: {
    serverIds(nodeId: string): Promise<string[]>;
    remove(nodeId: string, serverId: string): Promise<void>;
  };
  readonly volumes: Pick<Volumes, 'list'>;
  readonly nodeId: string;
  readonly attempt: Jobs['attempt'];
}

/** Removes measurements of volumes deleted meanwhile, or without this process. */
export async function sweepUsages(
  { usages, volumes, nodeId, attempt }: UsageSweepDeps,
  signal: AbortSignal,
): Promise<void> {
  const recorded = await usages.serverIds(nodeId);
  const volumesHere = new Set(await volumes.list());
  for (const serverId of recorded.filter((id) => !volumesHere.has(id))) {
    signal.throwIfAborted();
    await attempt('sweep-disk-usages', serverId, async () => usages.remove(nodeId, serverId));
  }
}
