import { isAppError } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

/** Then the recorded usage is used, for interactive pages. */
const patienceMs = 300;

interface VolumeUsage {
  readonly usedBytes: number;
  /** Measured before this process, or on another node. */
  readonly recorded: boolean;
}

interface MeasuredVolume {
  readonly serverId: string;
  /** Whose turn it is; absent: its own. */
  readonly ownerId?: string | undefined;
}

/** Recorded if the volume is on another node or slow to measure. Throws VOLUME_NOT_FOUND without a record. */
async function readKnownUsage(
  { usage, usages, nodeId }: Pick<FilesContext, 'usage' | 'usages' | 'nodeId'>,
  { serverId, ownerId }: MeasuredVolume,
): Promise<VolumeUsage> {
  const measured = (usedBytes: number) => ({ usedBytes, recorded: false });
  if (usage.isKnown(serverId)) return measured(await usage.read(serverId, ownerId));
  const last = await usages.find(serverId);
  if (!last) return measured(await usage.read(serverId, ownerId));
  try {
    const usedBytes = await usage.readWithin(serverId, patienceMs, ownerId);
    if (usedBytes !== null) return measured(usedBytes);
  } catch (error) {
    if (!isAppError(error, 'VOLUME_NOT_FOUND') || last.nodeId === nodeId) throw error;
  }
  return { usedBytes: last.usedBytes, recorded: true };
}

/** `fresh`: measured now, `recorded`: last known, `recent`: cached. Throws VOLUME_NOT_FOUND. */
export async function readUsage(
  context: Pick<FilesContext, 'usage' | 'usages' | 'nodeId'>,
  volume: MeasuredVolume,
  from: 'fresh' | 'recorded' | 'recent',
): Promise<VolumeUsage> {
  const { usage } = context;
  const { serverId, ownerId } = volume;
  return mapFsErrors(async () => {
    if (from === 'fresh') return { usedBytes: await usage.readFresh(serverId, ownerId), recorded: false };
    if (from === 'recorded') return readKnownUsage(context, volume);
    return { usedBytes: await usage.read(serverId, ownerId), recorded: false };
  });
}
