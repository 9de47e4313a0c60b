import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isAppError } from '@panel/kit/errors';
import {
  directoryMimetype,
  mimetypeOfContent,
  mimetypeOfName,
  sniffBytes,
  symlinkMimetype,
  unknownMimetype,
} from '../domain/mimetype.js';
import { fromErrno } from './errno.js';
import { withHandle, openForReading } from './node.js';
import { displayName, type Segments } from '../domain/path.js';
import { resolve } from './resolve.js';
import { batchesOf, type DirectoryReading, statEntries } from './tree.js';

export interface Entry {
  readonly name: string;
  readonly mode: number;
  readonly sizeBytes: number;
  /** For a link: its target is a regular file inside, or cannot be opened. */
  readonly isFile: boolean;
  readonly isSymlink: boolean;
  readonly mimetype: string;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface Listing {
  readonly entries: readonly Entry[];
  readonly isTruncated: boolean;
}

/** Bounds the message size. */
const maxEntries = 10_000;
/** gRPC messages have at most 4 MiB. */
const maxListingBytes = 3 * 1024 * 1024;
/** Approximate, without the name. */
const entryOverheadBytes = 120;
/** Each takes several system calls. */
const maxSniffs = 256;

/** Directories first. `segments`: real path below `root`. */
export async function listEntries(
  root: FileHandle,
  { directory, segments }: { readonly directory: FileHandle; readonly segments: Segments },
  reading: DirectoryReading,
): Promise<Listing> {
  const entries: Entry[] = [];
  let bytes = 0;
  let sniffs = 0;
  for await (const batch of batchesOf(directory)) {
    for (const item of await reading.stat(directory, batch)) {
      bytes += Buffer.byteLength(displayName(item.name)) + entryOverheadBytes;
      if (entries.length === maxEntries || bytes > maxListingBytes)
        return { entries: sorted(entries), isTruncated: true };
      const maySniff = needsSniff(item.name, item.stats) && sniffs < maxSniffs;
      if (maySniff) sniffs += 1;
      const seen = maySniff ? await sniff(root, [...segments, item.name]) : null;
      entries.push(entryOf(item.name, item.stats, seen ?? mimetypeFrom(item.name, item.stats)));
    }
    reading.checkpoint(batch.length);
  }
  return { entries: sorted(entries), isTruncated: false };
}

/** Without vanished ones. */
export async function describeEntries(
  root: FileHandle,
  { directory, segments }: { readonly directory: FileHandle; readonly segments: Segments },
  names: readonly Buffer[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const item of await statEntries(directory, names)) {
    const seen = needsSniff(item.name, item.stats) ? await sniff(root, [...segments, item.name]) : null;
    entries.push(entryOf(item.name, item.stats, seen ?? mimetypeFrom(item.name, item.stats)));
  }
  return entries;
}

export function entryOf(name: Buffer, stats: BigIntStats, mimetype: string): Entry {
  const isSymlink = stats.isSymbolicLink();
  return {
    name: displayName(name),
    mode: Number(stats.mode),
    sizeBytes: stats.isDirectory() ? 0 : Number(stats.size),
    isFile: isSymlink ? mimetype !== directoryMimetype : stats.isFile(),
    isSymlink,
    mimetype,
    // file systems without birth time report 1970
    createdAt: stats.birthtimeNs > 0n ? stats.birthtime : stats.mtime,
    modifiedAt: stats.mtime,
  };
}

export async function mimetypeOfOpenFile(name: Buffer, file: FileHandle): Promise<string> {
  const known = mimetypeOfName(displayName(name));
  if (known !== null) return known;
  const head = Buffer.alloc(sniffBytes);
  const { bytesRead } = await file.read(head, 0, sniffBytes, 0);
  return mimetypeOfContent(head.subarray(0, bytesRead));
}

function needsSniff(name: Buffer, stats: BigIntStats): boolean {
  if (stats.isSymbolicLink()) return true;
  return stats.isFile() && stats.size > 0n && mimetypeOfName(displayName(name)) === null;
}

function mimetypeFrom(name: Buffer, stats: BigIntStats): string {
  if (stats.isDirectory()) return directoryMimetype;
  if (stats.isSymbolicLink()) return symlinkMimetype;
  if (!stats.isFile()) return unknownMimetype;
  return mimetypeOfName(displayName(name)) ?? (stats.size === 0n ? 'text/plain' : unknownMimetype);
}

/** Of the resolved file; null when it cannot be opened. */
async function sniff(root: FileHandle, segments: Segments): Promise<string | null> {
  try {
    return await resolve(root, segments, { followLast: true }, async ({ node, stats, segments: real }) => {
      if (stats.isDirectory()) return directoryMimetype;
      if (!stats.isFile()) return unknownMimetype;
      return withHandle(await openForReading(node), async (file) =>
        mimetypeOfOpenFile(real.at(-1) ?? Buffer.alloc(0), file),
      );
    });
  } catch (error) {
    if (isAppError(fromErrno(error))) return null;
    throw error;
  }
}

function sorted(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => rank(a) - rank(b) || compare(a.name, b.name));
}

function rank(entry: Entry): number {
  return entry.mimetype === directoryMimetype ? 0 : 1;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
