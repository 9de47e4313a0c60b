import type { BigIntStats } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { posix } from 'node:path';
import { isErrno } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { syncDirectory } from '../../jail/atomic-write.js';
import { withDirectories } from '../../jail/directories.js';
import { moveWithoutReplacing } from '../../jail/move.js';
import { entryPath, openDirectory, withHandle } from '../../jail/node.js';
import { openByName } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { saveVersion } from '../../versions/save-version.js';
import type { Workspace } from '../../workspace/workspace.js';

/** By `displayPath`; buffers would take twenty times the memory. Directories include all parents, outermost first. */
export interface Staged {
  readonly directories: Set<string>;
  readonly files: Set<string>;
  /** Symbolic ones, with their targets: made when all else is there, so nothing is written through them. */
  readonly links: Map<string, string>;
}

interface StagedMove {
  readonly staged: Staged;
  readonly staging: FileHandle;
  readonly destination: FileHandle;
  /** Of `destination`. */
  readonly extractedTo: Segments;
  readonly isOverwriting: boolean;
}

/** Checks conflicts before the first move: a failure leaves everything unchanged. Throws as `findReplaced`. */
export async function moveExtracted(move: StagedMove, context: FilesContext, workspace: Workspace): Promise<void> {
  const { staged, staging, destination, isOverwriting } = move;
  const { owner } = context;
  await saveReplaced(move, context, workspace, await findReplaced(move));
  workspace.signal.throwIfAborted();
  for (const path of staged.directories) {
    await mapLinkErrors(async () => withDirectories(destination, segmentsOf(path), owner, async () => undefined));
  }
  for (const path of [...staged.files, ...staged.links.keys()]) {
    const [parents, name] = splitLast(segmentsOf(path));
    await mapLinkErrors(async () =>
      withDirectories(staging, parents, owner, async (from) =>
        withDirectories(destination, parents, owner, async (to) => {
          if (isOverwriting) await replace(entryPath(from, name), entryPath(to, name));
          else await moveWithoutReplacing({ directory: from, name }, { directory: to, name }, false);
        }),
      ),
    );
  }
  await syncDirectory(destination);
}

/** Throws FILE_EXISTS, NOT_A_FILE, NOT_A_DIRECTORY, LINK_REFUSED for conflicts. */
async function findReplaced({ staged, destination, isOverwriting }: StagedMove): Promise<string[]> {
  const replaced: string[] = [];
  const missing = new Set<string>();
  for (const path of staged.directories) {
    const stats = missing.has(posix.dirname(path)) ? null : await statBelow(destination, segmentsOf(path));
    if (!stats) missing.add(path);
    else if (stats.isSymbolicLink()) throw fail('LINK_REFUSED', 'a link is in the place of a directory', { path });
    else if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'a file is in the place of a directory', { path });
  }
  for (const path of staged.files) {
    const stats = missing.has(posix.dirname(path)) ? null : await statBelow(destination, segmentsOf(path));
    if (!stats) continue;
    if (!isOverwriting) throw fail('FILE_EXISTS', 'a file of the archive exists already', { path });
    if (!stats.isFile()) throw fail('NOT_A_FILE', 'something else is in the place of a file', { path });
    replaced.push(path);
  }
  for (const path of staged.links.keys()) {
    const stats = missing.has(posix.dirname(path)) ? null : await statBelow(destination, segmentsOf(path));
    if (!stats) continue;
    if (!isOverwriting) throw fail('FILE_EXISTS', 'a file of the archive exists already', { path });
    if (!stats.isSymbolicLink()) throw fail('NOT_A_FILE', 'something else is in the place of a link', { path });
  }
  return replaced;
}

/** Before the first move: a failure must leave everything unchanged. */
async function saveReplaced(
  { destination, extractedTo }: StagedMove,
  context: FilesContext,
  { grant, signal }: Workspace,
  replaced: readonly string[],
): Promise<void> {
  for (const path of replaced) {
    signal.throwIfAborted();
    const names = segmentsOf(path);
    await withNode(destination, names, async (node) =>
      saveVersion(context, grant, `/${displayPath([...extractedTo, ...names])}`, node),
    );
  }
}

async function statBelow(directory: FileHandle, names: Segments): Promise<BigIntStats | null> {
  return mapLinkErrors(async () => withNode(directory, names, async (node) => node.stat({ bigint: true })));
}

/** Follows no link; null when missing. */
async function withNode<T>(
  directory: FileHandle,
  [name, ...rest]: Segments,
  use: (node: FileHandle) => Promise<T>,
): Promise<T | null> {
  if (!name) return use(directory);
  if (rest.length > 0) {
    return withHandle(await openDirectory(directory, name), async (next) => withNode(next, rest, use));
  }
  const named = await openByName(directory, name);
  return named && withHandle(named.node, use);
}

export function segmentsOf(path: string): Buffer[] {
  return path.split('/').map((name) => Buffer.from(name));
}

export function splitLast(names: Segments): readonly [Segments, Buffer] {
  return [names.slice(0, -1), names.at(-1) ?? Buffer.alloc(0)];
}

async function replace(from: Buffer, to: Buffer): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (isErrno(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST'))
      throw fail('NOT_A_FILE', 'a directory is in the place of a file');
    throw error;
  }
}

async function mapLinkErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ELOOP', 'ENOTDIR')) throw fail('LINK_REFUSED', 'something else is in the place of a directory');
    throw error;
  }
}
