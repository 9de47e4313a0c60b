import { isAppError } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

/** How long a measurement is waited for where the last one is recorded: a person waits for the page. */
const patienceMs = 300;

interface VolumeUsage {
  readonly usedBytes: number;
  /** Whether it was measured before this process began, or on another node. */
  readonly recorded: boolean;
}

/**
 * What a volume takes, for those who would rather have the last known number than none: the one that was recorded, where the
 * volume is on another node, or cannot be measured soon. Throws VOLUME_NOT_FOUND where nothing is recorded.
 */
async function readKnownUsage(
  { usage, usages, nodeId }: Pick<FilesContext, 'usage' | 'usages' | 'nodeId'>,
  serverId: string,
): Promise<VolumeUsage> {
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

/** What a volume takes: measured now, the last known number, or measured not long ago. Throws VOLUME_NOT_FOUND. */
export async function readUsage(
  context: Pick<FilesContext, 'usage' | 'usages' | 'nodeId'>,
  serverId: string,
  from: 'fresh' | 'recorded' | 'recent',
): Promise<VolumeUsage> {
  const { usage } = context;
  return mapFsErrors(async () => {
    if (from === 'fresh') return { usedBytes: await usage.readFresh(serverId), recorded: false };
    if (from === 'recorded') return readKnownUsage(context, serverId);
    return { usedBytes: await usage.read(serverId), recorded: false };
  });
}
