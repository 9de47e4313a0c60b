import type { FilesContext } from '../../context.js';

/** Forget measurements of volumes that were deleted while they were measured, or without this process. */
export async function sweepUsages(
  { usages, volumes, nodeId, attempt }: Pick<FilesContext, 'usages' | 'volumes' | 'nodeId' | 'attempt'>,
  signal: AbortSignal,
): Promise<void> {
  const recorded = await usages.serverIds(nodeId);
  const volumesHere = new Set(await volumes.list());
  for (const serverId of recorded.filter((id) => !volumesHere.has(id))) {
    signal.throwIfAborted();
    await attempt('sweep-disk-usages', serverId, async () => usages.remove(nodeId, serverId));
  }
}
