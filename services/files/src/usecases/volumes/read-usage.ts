import { isAppError } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';

/** How long a measurement is waited for where the last one is recorded: those who ask show it to somebody who waits. */
const patienceMs = 300;

interface KnownUsage {
  readonly usedBytes: number;
  /** Whether it was measured before this process began, or on another node. */
  readonly recorded: boolean;
}

/**
 * What a volume takes, for those who would rather have the last known number than none: the one that was recorded, where the
 * volume is on another node, or cannot be measured soon. Throws VOLUME_NOT_FOUND where nothing is recorded.
 */
export async function readKnownUsage(
  { usage, usages, nodeId }: Pick<FilesContext, 'usage' | 'usages' | 'nodeId'>,
  serverId: string,
): Promise<KnownUsage> {
  const measured = (usedBytes: number) => ({ usedBytes, recorded: false });
  if (usage.isKnown(serverId)) return measured(await usage.read(serverId));
  const last = await usages.find(serverId);
  if (!last) return measured(await usage.read(serverId));
  try {
    const usedBytes = await usage.readWithin(serverId, patienceMs);
    if (usedBytes !== null) return measured(usedBytes);
  } catch (error) {
    if (!isAppError(error, 'VOLUME_NOT_FOUND') || last.nodeId === nodeId) throw error;
  }
  return { usedBytes: last.usedBytes, recorded: true };
}
