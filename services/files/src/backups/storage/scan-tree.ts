import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type AppError, isErrno } from '@panel/kit/errors';
import { parseIgnoreFile } from '../../domain/backup.js';
import { displayName, maxPathBytes } from '../../domain/path.js';
import { entryPath, withHandle } from '../../jail/node.js';
import { isDump } from '../../domain/dump-files.js';
import { createIgnoreRules } from '../../domain/ignore-rules.js';
import type { TempNames } from '../../jail/temp-names.js';
import { walkTree } from '../../jail/tree.js';
import { fail } from '../../reasons.js';

export interface ScannedTree {
  readonly entries: number;
  /** Of files. */
  readonly contentBytes: number;
  /** As latin1, which keeps every byte; an ignored directory without contents. */
  readonly excluded: readonly string[];
}

export interface ScanVisitor {
  /** Directories before their contents; `path` as latin1. */
  entry(directory: FileHandle, name: Buffer, stats: BigIntStats, path: string): Promise<void> | void;
  rest(): Promise<void>;
}

/** The first that is there counts; servers from other panels bring the second. */
const ignoreFileNames = ['.panelignore', '.pteroignore'].map((name) => Buffer.from(name));
const maxIgnoreFileBytes = 32 * 1024;
/** tar archives names of any length, but extracts `./<path>` with one call (PATH_MAX counts a final zero). */
export const maxArchivedBytes = maxPathBytes - './'.length - 1;

/** Patterns in the root; none unless in a regular file. */
export async function readIgnoreFile(root: FileHandle): Promise<string[]> {
  for (const name of ignoreFileNames) {
    const patterns = await readPatterns(root, name);
    if (patterns) return patterns;
  }
  return [];
}

/** Null: not there. */
async function readPatterns(root: FileHandle, name: Buffer): Promise<string[] | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await withHandle(await open(entryPath(root, name), flags), async (file) => {
      if (!(await file.stat()).isFile()) return [];
      const buffer = Buffer.alloc(maxIgnoreFileBytes);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      // a cut line would be another pattern
      const end = bytesRead < buffer.length ? bytesRead : buffer.lastIndexOf('\n') + 1;
      return parseIgnoreFile(buffer.toString('utf8', 0, end));
    });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    if (isErrno(error, 'ELOOP', 'EACCES', 'ENXIO')) return [];
    throw error;
  }
}

/**
 * Applies gitignore patterns; excludes devices, pipes, sockets and unfinished uploads. `hasDumps` decides on database
 * dumps. Throws TREE_UNSUPPORTED for a path that no restore could create.
 */
export async function scanTree(
  root: FileHandle,
  patterns: readonly string[],
  {
    tempNames,
    signal,
    hasDumps = false,
    onProgress = () => undefined,
    visitor,
  }: {
    readonly tempNames: TempNames;
    readonly signal: AbortSignal;
    readonly hasDumps?: boolean;
    readonly onProgress?: () => void;
    readonly visitor?: ScanVisitor | undefined;
  },
): Promise<ScannedTree> {
  const rules = createIgnoreRules(patterns);
  const excluded: string[] = [];
  const excludedDirectories = new Set<string>();
  let entries = 0;
  let contentBytes = 0;
  await walkTree(root, {
    entry: async (directory, name, stats, above) => {
      const parents = above();
      const parent = parents.map((part) => part.toString('latin1')).join('/');
      const own = name.toString('latin1');
      const path = parent === '' ? own : `${parent}/${own}`;
      const isDirectory = stats.isDirectory();
      if (excludedDirectories.has(parent)) {
        if (isDirectory) excludedDirectories.add(path);
        return;
      }
      const text = Buffer.from(path, 'latin1').toString('utf8');
      const isCarried = isDirectory || stats.isFile() || stats.isSymbolicLink();
      const isIgnored = isDump(text) ? !hasDumps : rules.ignores(path, isDirectory);
      if (!isCarried || isIgnored || tempNames.isOurs(name)) {
        excluded.push(path);
        if (isDirectory) excludedDirectories.add(path);
        return;
      }
      if (path.length > maxArchivedBytes) throw pathTooLong(path);
      entries += 1;
      if (stats.isFile()) contentBytes += Number(stats.size);
      await visitor?.entry(directory, name, stats, path);
    },
    rest: async () => {
      signal.throwIfAborted();
      onProgress();
      await visitor?.rest();
    },
  });
  return { entries, contentBytes, excluded };
}

/** `path` as latin1. */
export function pathTooLong(path: string): AppError {
  const start = displayName(Buffer.from(path, 'latin1')).slice(0, 100);
  return fail('TREE_UNSUPPORTED', `a path is too long for a backup: it starts with "${start}"`, { path: start });
}
