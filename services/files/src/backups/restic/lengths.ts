import { replacement } from '../../domain/path.js';
import { entriesOf } from './output.js';
import type { ResticProgram } from './run-restic.js';
import { outputOf, startProgram } from '../storage/backup-program.js';

interface Snapshot {
  readonly serverId: string;
  readonly id: string;
  readonly directory: string;
  /** Created before the first read, on the same file system, whose clock may differ. */
  readonly mark: string;
}

/**
 * restic 0.14 counts part of a file twice that grows while its end is read; `check` accepts it, but `dump` cannot
 * restore the snapshot. Returns such files; reads only those written meanwhile whose length changed since. Removal:
 * docs/adr/0026-restic-lengths.md.
 */
export async function findWrongLengths(
  restic: Pick<ResticProgram, 'lines' | 'output'>,
  { serverId, id, directory, mark }: Snapshot,
  signal: AbortSignal,
): Promise<string[]> {
  const written = await writtenSince(directory, mark, signal);
  if (written.size === 0) return [];
  const recorded = new Map<string, number>();
  for await (const entry of entriesOf(restic.lines(serverId, ['ls', '--json', '--no-lock', id], { signal }))) {
    const sizeBytes = written.get(entry.path);
    // restic does not find a non-UTF-8 name by its displayed form
    if (entry.path.includes(replacement)) continue;
    if (sizeBytes !== undefined && sizeBytes !== entry.sizeBytes) recorded.set(entry.path, entry.sizeBytes);
  }
  const wrong: string[] = [];
  for (const [path, sizeBytes] of recorded) {
    let read = 0;
    const content = restic.output(serverId, ['dump', '--no-lock', id, `/${path}`], { signal });
    for await (const chunk of content) read += chunk.length;
    if (read !== sizeBytes) wrong.push(path);
  }
  return wrong;
}

/** Lengths by path. */
async function writtenSince(directory: string, mark: string, signal: AbortSignal): Promise<Map<string, number>> {
  const find = startProgram(['find', '.', '-type', 'f', '-newer', mark, '-printf', '%s %P\\0'], {
    cwd: directory,
    signal,
  });
  find.stdin.end();
  const found = new Map<string, number>();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of outputOf(find)) {
    const items = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = items.pop() ?? '';
    for (const item of items) {
      const end = item.indexOf(' ');
      found.set(item.slice(end + 1), Number(item.slice(0, end)));
    }
  }
  return found;
}
