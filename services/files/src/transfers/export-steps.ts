import type { FileHandle } from 'node:fs/promises';
import {
  ExportVolumeResponse_Kind as Kind,
  type ExportVolumeResponse_Entry,
  type ExportVolumeResponse_Part,
} from '@panel/protos/files';
import { fail } from '../reasons.js';
import { measureVolume, type VolumeMeasure } from './measure-volume.js';
import { chunkBytes, type ReadEntry, readTree, type ReadTreeOptions, type TreeEvent } from './read-tree.js';
import type { EntryKind } from './tree-digest.js';
import { comparePaths, isAncestor } from './tree-path.js';

/** A part of the stream; null means that work is in progress and there is nothing to send. */
export type Step = NonNullable<ExportVolumeResponse_Part['part']> | null;

const zeros = Buffer.alloc(chunkBytes);
/** A zero-filled piece shorter than this saves no block on the other side. */
const minZeroBytes = 4096;

const protoKinds: Record<EntryKind, Kind> = {
  directory: Kind.DIRECTORY,
  file: Kind.FILE,
  symlink: Kind.SYMLINK,
};

interface ExportOptions extends Pick<ReadTreeOptions, 'tempNames' | 'partial'> {
  /** The last entry the target has; empty: none. */
  readonly afterPath: Buffer;
}

/**
 * A volume as the parts of an export. What comes up to `afterPath` is read for the digest but not sent, except directories
 * that lead there, whose times and modes the target still sets; nor are the bytes it has of one more file (`partial`).
 * Throws as `readTree` does, and FILE_CHANGED when the volume is not what was measured at the start.
 */
export async function* exportSteps(
  root: FileHandle,
  { afterPath, tempNames, partial }: ExportOptions,
): AsyncGenerator<Step, undefined> {
  const measure = yield* measureVolume(root, { tempNames });
  yield { $case: 'start', value: measure };
  let isBehind = afterPath.length > 0;
  for await (const event of readTree(root, { tempNames, partial })) {
    if (event.type === 'entry' || event.type === 'linked') {
      isBehind &&= comparePaths(event.entry.path, afterPath) <= 0;
      yield isBehind && !isOnTheWay(event.entry, afterPath) ? null : presentSent(event);
    } else if (event.type === 'end') yield finishOf(event, measure);
    else yield isBehind || event.type === 'rest' ? null : presentContent(event);
  }
  return undefined;
}

function isOnTheWay({ path, kind }: ReadEntry, afterPath: Buffer): boolean {
  return kind === 'directory' && isAncestor(path, afterPath);
}

function presentSent(event: Extract<TreeEvent, { type: 'entry' | 'linked' }>): Step {
  const { entry } = event;
  const { path, kind, mode, modifiedAt, sizeBytes, linkTarget } = entry;
  const value: ExportVolumeResponse_Entry = {
    path,
    kind: protoKinds[kind],
    mode,
    modifyTime: modifiedAt,
    sizeBytes: kind === 'file' ? sizeBytes : 0,
    resumeBytes: event.type === 'entry' ? event.resumeBytes : 0,
    linkedPath: event.type === 'linked' ? event.linkedPath : Buffer.alloc(0),
    linkTarget,
  };
  return { $case: 'entry', value };
}

function presentContent(event: Extract<TreeEvent, { type: 'bytes' | 'file-end' }>): Step {
  if (event.type === 'file-end') return { $case: 'fileEnd', value: { sha256: event.sha256 } };
  const { bytes } = event;
  return bytes.length >= minZeroBytes && bytes.equals(zeros.subarray(0, bytes.length))
    ? { $case: 'zeroBytes', value: bytes.length }
    : { $case: 'chunk', value: bytes };
}

function finishOf({ totals, skipped }: Extract<TreeEvent, { type: 'end' }>, measure: VolumeMeasure): Step {
  if (totals.entries !== measure.entries || totals.bytes !== measure.bytes) {
    throw fail('FILE_CHANGED', 'files came or went while the volume was read');
  }
  return { $case: 'finish', value: { ...totals, skipped } };
}
