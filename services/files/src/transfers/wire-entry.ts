import { type ExportVolumeResponse_Entry, ExportVolumeResponse_Kind as Kind } from '@panel/protos/files';
import type { AppError } from '@panel/kit/errors';
import { maxFileNameBytes } from '@panel/kit/text';
import type { Segments } from '../domain/path.js';
import { maxPathBytes } from '../domain/path.js';
import { fail } from '../reasons.js';
import type { ReadEntry } from './read-tree.js';
import type { EntryKind } from './tree-digest.js';
import { comparePaths } from './tree-path.js';

/** Validated. */
export interface WireEntry extends ReadEntry {
  /** At least one. */
  readonly segments: Segments;
  /** Not sent. */
  readonly resumeBytes: number;
  /** Path of the earlier hard link; null: none. */
  readonly linkedTo: Segments | null;
}

/** Per part, by contract. */
export const maxChunkBytes = 256 * 1024;
const permissionBits = 0o777;

const kinds: Partial<Record<Kind, EntryKind>> = {
  [Kind.DIRECTORY]: 'directory',
  [Kind.FILE]: 'file',
  [Kind.SYMLINK]: 'symlink',
};

/**
 * Sole conversion of data from a possibly compromised source to a staging path. Paths have plain names only and follow
 * `previous`, which excludes repeats. Throws SOURCE_INVALID.
 */
export function parseEntry(sent: ExportVolumeResponse_Entry, previous: Buffer): WireEntry {
  const { path, mode, modifyTime, sizeBytes, linkTarget, resumeBytes, linkedPath } = sent;
  const kind = kinds[sent.kind];
  if (!kind) throw invalidSource('an entry is of no known kind');
  if (comparePaths(path, previous) <= 0) throw invalidSource('entries are out of order');
  if (!Number.isInteger(mode) || (mode & ~permissionBits) !== 0 || mode < 0) throw invalidSource('a mode is no mode');
  if (!modifyTime || !Number.isFinite(modifyTime.getTime())) throw invalidSource('a time is no time');
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || (kind !== 'file' && sizeBytes !== 0)) {
    throw invalidSource('a size is no size');
  }
  if (!Number.isSafeInteger(resumeBytes) || resumeBytes < 0 || resumeBytes > sizeBytes) {
    throw invalidSource('more is kept than there is');
  }
  if (linkedPath.length > 0 && (kind !== 'file' || resumeBytes > 0 || comparePaths(linkedPath, path) >= 0)) {
    throw invalidSource('a name belongs to nothing that was sent');
  }
  if (kind === 'symlink' ? !isTarget(linkTarget) : linkTarget.length > 0) throw invalidSource('a link leads nowhere');
  const linkedTo = linkedPath.length > 0 ? splitPath(linkedPath) : null;
  const segments = splitPath(path);
  return { path, segments, kind, mode, modifiedAt: modifyTime, sizeBytes, linkTarget, resumeBytes, linkedTo };
}

function isTarget(target: Buffer): boolean {
  return target.length > 0 && target.length < maxPathBytes && !target.includes(0);
}

/** Plain names only. Throws SOURCE_INVALID. */
export function splitPath(path: Buffer): Buffer[] {
  if (path.length > maxPathBytes || path.includes(0)) throw invalidSource('a path is no path');
  // latin1 keeps every byte
  const names = path.toString('latin1').split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.length > maxFileNameBytes)) {
    throw invalidSource('a path is not made of plain names');
  }
  return names.map((name) => Buffer.from(name, 'latin1'));
}

/** `problem` is for the operator's log. */
export function invalidSource(problem: string): AppError {
  return fail('SOURCE_INVALID', 'the source sent what no files service sends', { problem });
}
