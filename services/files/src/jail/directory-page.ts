import type { Dirent } from 'node:fs';
import { opendir, type FileHandle } from 'node:fs/promises';
import { assertNever } from '@panel/kit/errors';
import type { DirectoryOrder, DirectoryPageQuery } from '../domain/directory-query.js';
import { FirstInOrder } from '../domain/first-in-order.js';
import { displayName, type Segments } from '../domain/path.js';
import { describeEntries, type Entry } from './entries.js';
import { handlePath } from './node.js';
import { batchesOf, type DirectoryReading, type StatedEntry } from './tree.js';

export interface DirectoryPage {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly isTruncated: boolean;
}

interface Candidate {
  /** latin1: only the page's names are needed as bytes. */
  readonly name: string;
  readonly text: string;
  readonly isDirectory: boolean;
  /** Size or time; 0 when ordered by name. */
  readonly weight: number;
}

/** Bounds memory. */
const maxReachable = 100_000;
const bufferSize = 1_024;

/** Inspects only the page's entries (by size or time: all), and holds about as many names as the pages up to it. */
export async function readDirectoryPage(
  root: FileHandle,
  {
    directory,
    isHidden,
    segments,
  }: {
    readonly directory: FileHandle;
    readonly segments: Segments;
    readonly isHidden: (name: string, isDirectory: boolean) => boolean;
  },
  query: DirectoryPageQuery,
  reading: DirectoryReading,
): Promise<DirectoryPage> {
  const end = Math.min(query.page * query.perPage, maxReachable);
  const first = new FirstInOrder<Candidate>(end, comparison(query));
  const needle = query.search.toLowerCase();
  const isByName = query.order === 'default' || query.order === 'name';
  let total = 0;
  for await (const candidates of isByName ? namesOf(directory) : statsOf(directory, query.order, reading)) {
    for (const candidate of candidates) {
      if (needle !== '' && !candidate.text.toLowerCase().includes(needle)) continue;
      if (isHidden(candidate.text, candidate.isDirectory)) continue;
      total += 1;
      first.add(candidate);
    }
    reading.checkpoint(candidates.length);
  }
  const chosen = first.values().slice((query.page - 1) * query.perPage, end);
  const entries = await describeEntries(
    root,
    { directory, segments },
    chosen.map(({ name }) => Buffer.from(name, 'latin1')),
  );
  return { entries, total: Math.min(total, maxReachable), isTruncated: total > maxReachable };
}

/** Needs no replacement for display. */
const plain = /^[ -[\]-~]*$/;

/** Inspects no entry. */
async function* namesOf(directory: FileHandle): AsyncGenerator<Candidate[]> {
  const open = await opendir(handlePath(directory), { encoding: 'latin1', bufferSize });
  try {
    for (;;) {
      // one call fills the buffer; promises for the rest cost more than the disk
      const head = await open.read();
      if (!head) return;
      const batch = [toCandidate(head)];
      while (batch.length < bufferSize) {
        const next = open.readSync();
        if (!next) break;
        batch.push(toCandidate(next));
      }
      yield batch;
    }
  } finally {
    await open.close();
  }
}

function toCandidate(entry: Dirent): Candidate {
  const { name } = entry;
  const text = plain.test(name) ? name : displayName(Buffer.from(name, 'latin1'));
  return { name, text, isDirectory: entry.isDirectory(), weight: 0 };
}

async function* statsOf(
  directory: FileHandle,
  order: DirectoryOrder,
  reading: DirectoryReading,
): AsyncGenerator<Candidate[]> {
  for await (const batch of batchesOf(directory)) {
    yield (await reading.stat(directory, batch)).map((entry) => weigh(entry, order));
  }
}

function weigh({ name, stats }: StatedEntry, order: DirectoryOrder): Candidate {
  const isDirectory = stats.isDirectory();
  const size = isDirectory ? 0 : Number(stats.size);
  return {
    name: name.toString('latin1'),
    text: displayName(name),
    isDirectory,
    weight: order === 'size' ? size : Number(stats.mtimeMs),
  };
}

/** `file10` after `file9`. */
const { compare: compareNames } = new Intl.Collator('en', { numeric: true });

function comparison({ isDescending, order }: DirectoryPageQuery): (a: Candidate, b: Candidate) => number {
  const direction = isDescending ? -1 : 1;
  switch (order) {
    case 'default':
      return (a, b) => Number(b.isDirectory) - Number(a.isDirectory) || compareText(a, b);
    case 'name':
      return (a, b) => direction * compareNames(a.text, b.text) || compareText(a, b);
    case 'size':
    case 'modified_at':
      return (a, b) => direction * (a.weight - b.weight) || compareText(a, b);
    default:
      return assertNever(order);
  }
}

function compareText(a: Candidate, b: Candidate): number {
  if (a.text === b.text) return 0;
  return a.text < b.text ? -1 : 1;
}
