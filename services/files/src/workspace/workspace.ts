import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type AppError, invalidFields } from '@panel/kit/errors';
import type { FileGrant } from '@panel/rpc';
import { createFileGuards, type FileGuard } from '../domain/file-guard.js';
import { isChanging } from '../domain/grant.js';
import { displayPath, type Segments } from '../domain/path.js';
import { mapFsErrors } from '../jail/errno.js';
import type { VolumeFreezes } from '../freezes/volume-freezes.js';
import { type DiskQuotas, mapGrowthErrors } from '../quotas/disk-quotas.js';
import { walkTree } from '../jail/tree.js';
import type { Volumes } from '../volumes/volumes.js';

export interface WorkspaceDeps {
  readonly volumes: Pick<Volumes, 'open'>;
  readonly freezes: Pick<VolumeFreezes, 'change'>;
  readonly quotas: Pick<DiskQuotas, 'explain'>;
}

export interface Workspace {
  readonly grant: FileGrant;
  readonly root: FileHandle;
  /** Checks changes if the grant is for them. */
  readonly guard: FileGuard;
  /** Checks incidental reads. */
  readonly readGuard: FileGuard;
  readonly signal: AbortSignal;
}

export interface FileAccess {
  /** Verified. */
  readonly grant: FileGrant;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Throws VOLUME_NOT_FOUND, and SERVER_LOCKED for changes of a frozen volume. */
export async function withWorkspace<T>(
  { volumes, freezes, quotas }: WorkspaceDeps,
  { grant, signal: outer }: FileAccess,
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const guards = createFileGuards(grant);
  const work = async (signal: AbortSignal) =>
    volumes.open(grant.volume, async (root) => use({ grant, root, ...guards, signal }));
  if (!isChanging(grant)) return mapFsErrors(async () => work(outer));
  return mapGrowthErrors(quotas, async () => freezes.change(grant.serverId, outer, work));
}

/**
 * Throws FILE_DENIED, PATH_FORBIDDEN when the entry or anything below it is or would be protected at `segments`: also
 * covers moves and deletions with a parent.
 */
export async function requireNothingDenied(
  guard: FileGuard,
  { node, stats }: { readonly node: FileHandle; readonly stats: BigIntStats },
  segments: Segments,
): Promise<void> {
  guard.check(displayPath(segments), stats.isDirectory());
  if (guard.isEmpty || !stats.isDirectory()) return;
  await walkTree(node, {
    entry: (_directory, name, below, above) =>
      guard.check(displayPath([...segments, ...above(), name]), below.isDirectory()),
  });
}

/** Throws INVALID_FIELDS (`field`) for a target inside the source. */
export function requireNotIntoItself(
  source: { readonly segments: Segments },
  target: { readonly segments: Segments },
  field: string,
): void {
  if (isWithin(target.segments, source.segments)) throw intoItself(field);
}

export function intoItself(field: string): AppError {
  return invalidFields({ [field]: ['cannot be inside the directory that is moved'] });
}

function isWithin(path: Segments, directory: Segments): boolean {
  return path.length >= directory.length && directory.every((segment, i) => path[i]?.equals(segment));
}
