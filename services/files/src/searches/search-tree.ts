import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { FileGrant } from '@panel/rpc';
import { createFileGuard } from '../domain/file-guard.js';
import { directoryMimetype, mimetypeOfName, symlinkMimetype, unknownMimetype } from '../domain/mimetype.js';
import { createNameMatcher } from '../domain/name-pattern.js';
import { displayName } from '../domain/path.js';
import { isTempName } from '../domain/temp-name.js';
import { type Entry, entryOf } from '../jail/entries.js';
import { entryPath, handlePath, nodeFlags, readingFlags } from '../jail/node.js';
import { createTextFinder, type TextFinder } from './text-finder.js';
import { type WalkedSync, walkSortedSync } from '../jail/sorted-walk-sync.js';
import { identityOf } from '../jail/tree.js';

export interface TreeSearch {
  /** Stays open until the end. */
  readonly rootFd: number;
  /** Of the root in its volume: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly grant: FileGrant;
  /** Part of the name, or a glob; empty: any. */
  readonly name: string;
  /** Literal text; empty: only names. */
  readonly content: string;
  readonly limit: number;
  readonly durationMs: number;
}

export type SearchResult =
  | {
      readonly kind: 'match';
      readonly entry: Entry;
      readonly path: string;
      readonly line: number;
      readonly text: string;
    }
  | { readonly kind: 'summary'; readonly isComplete: boolean; readonly entries: number };

const maxEntries = 200_000;
const maxFileBytes = 4 * 1024 * 1024;
const maxReadBytes = 512 * 1024 * 1024;

/** Blocks. In path order, the summary last. Follows no link; skips contents of protected and binary files and large ones. */
export function* searchTree(search: TreeSearch, isCancelled: () => boolean): Generator<SearchResult, undefined> {
  const { prefix, content, limit } = search;
  const guard = createFileGuard(search.grant);
  const matchesName = createNameMatcher(search.name);
  const findText = createTextFinder(content);
  const until = performance.now() + search.durationMs;
  let [entries, matches, readBytes] = [0, 0, 0];
  for (const walked of walkSortedSync(search.rootFd)) {
    const isOver = matches === limit || entries === maxEntries || readBytes > maxReadBytes;
    if (isOver || performance.now() > until || isCancelled()) {
      yield { kind: 'summary', isComplete: false, entries };
      return undefined;
    }
    entries += 1;
    const below = displayPathOf(walked);
    if (isTempName(walked.name.toString('latin1'))) continue;
    if (guard.denies(`${prefix}${below}`, walked.stats.isDirectory())) continue;
    if (!matchesName(displayName(walked.name))) continue;
    if (content !== '' && walked.stats.isFile()) readBytes += Number(walked.stats.size);
    const found = content === '' ? { line: 0, text: '' } : findContent(walked, findText);
    if (!found) continue;
    matches += 1;
    yield { kind: 'match', entry: describe(walked), path: `/${prefix}${below}`, ...found };
  }
  yield { kind: 'summary', isComplete: true, entries };
  return undefined;
}

function displayPathOf({ path }: WalkedSync): string {
  return path
    .split('/')
    .map((part) => displayName(Buffer.from(part, 'latin1')))
    .join('/');
}

function describe({ name, stats }: WalkedSync): Entry {
  const byName = mimetypeOfName(displayName(name)) ?? unknownMimetype;
  const mimetype = stats.isDirectory() ? directoryMimetype : stats.isSymbolicLink() ? symlinkMimetype : byName;
  return entryOf(name, stats, mimetype);
}

/** First match in a text file. */
function findContent(walked: WalkedSync, find: TextFinder) {
  const { stats } = walked;
  if (!stats.isFile() || stats.size === 0n || stats.size > maxFileBytes) return null;
  const bytes = readSame(walked);
  if (!bytes || bytes.includes(0)) return null;
  return find(bytes);
}

/** Null when it was removed, replaced or is unreadable. */
function readSame({ directoryFd, name, stats }: WalkedSync): Buffer | null {
  let [node, file] = [-1, -1];
  try {
    node = openSync(entryPath({ fd: directoryFd }, name), nodeFlags);
    if (identityOf(fstatSync(node, { bigint: true })) !== identityOf(stats)) return null;
    file = openSync(handlePath({ fd: node }), readingFlags);
    const bytes = Buffer.allocUnsafe(Number(stats.size));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, length);
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  } finally {
    for (const fd of [node, file]) if (fd !== -1) closeSync(fd);
  }
}
