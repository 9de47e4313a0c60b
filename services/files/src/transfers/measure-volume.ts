import type { FileHandle } from 'node:fs/promises';
import { type WalkedEntry, walkSorted } from '../jail/sorted-walk.js';
import { fail } from '../reasons.js';
import { HardLinks } from './hard-links.js';
import { kindOf, type ReadTreeOptions } from './read-tree.js';

export interface VolumeMeasure {
  entries: number;
  bytes: number;
  diskBytes: number;
}

/** Holes are read and compared: this much takes an hour. */
const maxHoleBytes = 2 ** 40;

/** Also the entry overhead; the unit of common file systems. */
export const blockBytes = 4096;
/** Of st_blocks (stat(2)). */
const statBlockBytes = 512;

/** Matches `readTree`. Yields for keep-alives. */
export async function* measureVolume(
  root: FileHandle,
  { tempNames }: Pick<ReadTreeOptions, 'tempNames'>,
): AsyncGenerator<null, VolumeMeasure> {
  const measure: VolumeMeasure = { entries: 0, bytes: 0, diskBytes: 0 };
  const links = new HardLinks<true>();
  let holeBytes = 0;
  for await (const walked of walkSorted(root)) {
    yield null;
    const kind = kindOf(walked, tempNames);
    if (kind === 'skipped' || kind === 'ignored') continue;
    measure.entries += 1;
    measure.diskBytes += blockBytes;
    if (kind !== 'file') continue;
    measure.bytes += Number(walked.stats.size);
    if (links.find(walked.stats)) continue;
    links.note(walked.stats, true);
    measure.diskBytes += heldBytes(walked);
    holeBytes += Math.max(0, Number(walked.stats.size) - heldBytes(walked));
    if (holeBytes > maxHoleBytes) throw fail('TREE_UNSUPPORTED', 'the holes in sparse files exceed 1 TiB');
  }
  return measure;
}

/** Without holes, and file system overhead beyond the length. */
function heldBytes({ stats }: WalkedEntry): number {
  return Math.min(Math.ceil(Number(stats.size) / blockBytes) * blockBytes, Number(stats.blocks) * statBlockBytes);
}
