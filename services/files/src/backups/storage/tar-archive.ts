import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { extract, type Header } from 'tar-stream';
import { Readable, pipeline } from 'node:stream';
import { handlePath } from '../../jail/node.js';
import type { Owner } from '../../jail/owner.js';
import { isAppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import type { BackupEntry, BackupSource, ExtractTarget } from './backup-storage.js';
import { feedProgram, outputOf, startProgram } from './backup-program.js';
import { maxArchivedBytes, type ScannedTree } from './scan-tree.js';

/** Unit of progress. */
const recordBytes = 10_240;
const recordsPerReport = 100;
/** tar reads names by line and trims trailing white space: such names are passed as arguments. */
const oddName = /\n|[ \t\v\f\r]$/;
const maxOddNames = 1_000;

/**
 * GNU tar opens names relative to their directories and follows no symbolic link: a swapped link leaks no host files.
 * Cuts or pads changing files (exit code 1); hard links become files.
 */
export async function* archiveVolume(
  { root, signal, onArchived }: Pick<BackupSource, 'root' | 'signal' | 'onArchived'>,
  tree: ScannedTree,
  compressor: string,
): AsyncGenerator<Buffer> {
  const odd = tree.excluded.filter((path) => oddName.test(path));
  if (odd.length > maxOddNames)
    throw fail('BACKUP_TOOL_FAILED', 'too many ignored names end with a space or contain line ends');
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  const directory = await open(handlePath(root), flags);
  try {
    const program = startProgram(
      [
        'tar',
        '--create',
        '--file=-',
        '--format=posix',
        '--pax-option=delete=atime,delete=ctime',
        '--sparse',
        '--hard-dereference',
        '--numeric-owner',
        `--use-compress-program=${compressor}`,
        `--checkpoint=${recordsPerReport}`,
        '--checkpoint-action=echo=#%u',
        '--directory=/proc/self/fd/3',
        '--no-wildcards',
        '--anchored',
        '--exclude-from=-',
        '--wildcards',
        '--no-anchored',
        '--exclude=.panel-????????-????-????-????-????????????.part',
        '--anchored',
        // of directories that grew since the scan
        `--exclude=./${'?'.repeat(maxArchivedBytes + 1)}*`,
        ...odd.map((path) => `--exclude=./${globOf(path)}`),
        '.',
      ],
      {
        fd: directory.fd,
        signal,
        // 1: a file changed or vanished
        acceptedCodes: [0, 1],
        onErrorLine: (line) => {
          const records = Number(/#(\d+)$/.exec(line)?.[1] ?? Number.NaN);
          const total = tree.contentBytes + tree.entries * 1024 + recordBytes;
          if (Number.isFinite(records)) onArchived(Math.min(1, (records * recordBytes) / total));
        },
      },
    );
    const names = tree.excluded.filter((path) => !oddName.test(path)).map((path) => `./${path}\n`);
    program.stdin.end(Buffer.from(names.join(''), 'latin1'));
    yield* outputOf(program);
  } finally {
    await directory.close();
  }
}

/** Arguments are UTF-8: `?` matches an invalid byte. */
function globOf(path: string): string {
  const glob = path.replace(/[[\]*?\\]/g, (char) => `\\${char}`);
  const bytes = Buffer.from(glob, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : glob.replace(/[\x80-\xff]/g, '?');
}

interface TarFormat {
  /** Null: uncompressed. */
  readonly decompressor: string | null;
  readonly prefix: './' | '';
}

/** As the game's user, which limits what a tar creates. */
export async function extractArchive(
  content: AsyncIterable<Buffer>,
  { directory, owner, paths, signal }: Omit<ExtractTarget, 'onExtracted'>,
  { decompressor, prefix }: TarFormat,
): Promise<void> {
  const program = startProgram(
    [
      // the archive's modes regardless of umask, without set-user-id bits
      'sh',
      '-c',
      'umask 0 && exec "$@"',
      'sh',
      'tar',
      '--extract',
      '--file=-',
      ...(decompressor === null ? [] : [`--use-compress-program=${decompressor}`]),
      '--directory=/proc/self/fd/3',
      '--no-same-owner',
      '--delay-directory-restore',
      '--no-same-permissions',
      '--no-wildcards',
      '--no-unquote',
      ...namesToExtract(paths, prefix),
    ],
    { fd: directory.fd, signal, user: userFor(owner), label: 'tar' },
  );
  program.stdout.resume();
  try {
    await feedProgram(program, content);
    await program.finished;
  } catch (error) {
    if (isAppError(error, 'BACKUP_TOOL_FAILED') && /not found in archive/i.test(error.message)) {
      throw fail('FILE_NOT_FOUND', 'a path is not in the backup', {}, { cause: error });
    }
    throw error;
  }
}

/** tar matches only the first entry of a name. Listed parents keep their modes: tar creates others writable for all. */
function namesToExtract(paths: readonly string[], prefix: string): string[] {
  if (paths.length === 0) return [];
  const wanted = new Set(paths);
  const topmost = [...wanted].filter((path) => !parentsOf(path).some((parent) => wanted.has(parent)));
  const parents = new Set(topmost.flatMap(parentsOf));
  const named = (path: string) => `--add-file=${prefix}${path}`;
  return ['--no-recursion', ...[...parents].map(named), '--recursion', ...topmost.map(named)];
}

function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_name, i) => names.slice(0, i + 1).join('/'));
}

/** Only root can. */
export function userFor(owner: Owner): Owner | null {
  return process.getuid?.() === 0 ? owner : null;
}

export async function* listArchive(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<BackupEntry> {
  const gunzip = startProgram(['gzip', '-dc'], { signal });
  const parser = extract();
  // prefers the content's error to that of the truncated archive
  const pump = pipeline(Readable.from(content, { objectMode: false }), gunzip.stdin, (error) => {
    if (isAppError(error)) parser.destroy(error);
  });
  pipeline(gunzip.stdout, parser, () => undefined);
  // reported through the iterator
  parser.on('error', () => undefined);
  try {
    for await (const { header, resume } of withResume(parser)) {
      const entry = entryOf(header);
      if (entry.path !== '' && entry.path !== '.') yield entry;
      resume();
    }
    await gunzip.finished;
  } catch (error) {
    if (isAppError(error) && error.reason !== 'BACKUP_TOOL_FAILED') throw error;
    signal.throwIfAborted();
    throw fail('BACKUP_DAMAGED', 'the archive of the backup is damaged', {}, { cause: error });
  } finally {
    pump.destroy();
    gunzip.stdin.destroy();
    gunzip.stdout.destroy();
  }
}

/** Name and length of sparse files are attributes (GNU tar manual, "Sparse Formats"). */
function entryOf({ name, type, size, mtime, pax }: Header): BackupEntry {
  const attributes = (pax ?? {}) as Readonly<Record<string, string | undefined>>;
  const path = (attributes['GNU.sparse.name'] ?? name).replace(/^\.\//, '').replace(/\/$/, '');
  const kind = type === 'directory' ? 'directory' : type === 'symlink' ? 'symlink' : 'file';
  const sizeBytes = Number(attributes['GNU.sparse.realsize'] ?? size ?? 0);
  return { path, kind, sizeBytes, modifiedAt: mtime ?? new Date(0) };
}

async function* withResume(parser: ReturnType<typeof extract>) {
  for await (const entry of parser) yield { header: entry.header, resume: () => void entry.resume() };
}
