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

/** Null: in progress, nothing to send. */
export type Step = NonNullable<ExportVolumeResponse_Part['part']> | null;

const zeros = Buffer.alloc(chunkBytes);
/** Shorter zero runs save no block at the target. */
const minZeroBytes = 4096;

const protoKinds: Record<EntryKind, Kind> = {
  directory: Kind.DIRECTORY,
  file: Kind.FILE,
  symlink: Kind.SYMLINK,
};

interface ExportOptions extends Pick<ReadTreeOptions, 'tempNames' | 'partial'> {
  /** The target's last entry; empty: none. */
  readonly afterPath: Buffer;
}

/**
 * Entries up to `afterPath` are only read for the digest, except ancestor directories, whose times and modes the target
 * still sets; skips the target's bytes of `partial`. Throws as `readTree`, and FILE_CHANGED for a change since the
 * measurement.
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
