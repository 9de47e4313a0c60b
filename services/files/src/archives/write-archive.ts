import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import type { WrittenFormat } from '../domain/archive-format.js';
import { startArchiveProgram } from './archive-program.js';

export interface ArchiveItem {
  /** Relative to the archive root, `/`-separated. */
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link';
  /** Of a symbolic link. */
  readonly target?: string;
  readonly mode: number;
  readonly modifiedAt: Date;
  readonly sizeBytes: number;
  /** Exactly `sizeBytes`; readable only while the item is current. */
  readonly content: () => AsyncIterable<Buffer>;
}

/** S_IFLNK: marks the content as a link target for zip readers. */
const linkMode = 0o120777;

const commands: Partial<Record<WrittenFormat, readonly string[]>> = {
  'tar.bz2': ['bzip2', '-c'],
  'tar.xz': ['xz', '-c', '-2', '-T1'],
  'tar.zst': ['zstd', '-cq', '-3'],
};

/** One chunk per read. Throws errors of `items`, ARCHIVE_TOOL_MISSING and the reason of `signal`. */
export async function* writeArchive(
  format: WrittenFormat,
  items: AsyncIterable<ArchiveItem>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const failure = new AbortController();
  const output = format === 'zip' ? zipOf(items, failure) : await tarOf(format, items, failure);
  const abort = () => output.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of output) yield chunk as Buffer;
    if (failure.signal.aborted) throw failure.signal.reason;
  } catch (error) {
    signal.throwIfAborted();
    throw failure.signal.aborted ? failure.signal.reason : error;
  } finally {
    signal.removeEventListener('abort', abort);
    output.destroy();
  }
}

async function tarOf(format: WrittenFormat, items: AsyncIterable<ArchiveItem>, failure: AbortController) {
  const tar = pack();
  // reported through the output
  tar.on('error', () => undefined);
  void packAll(tar, items).catch((error: unknown) => {
    failure.abort(error);
    tar.destroy(error as Error);
  });
  const command = commands[format];
  if (command) {
    const program = await startArchiveProgram(command, {});
    const output = new PassThrough();
    if (program.stdin) pipeline(tar as unknown as Readable, program.stdin, () => undefined);
    program.stdout.pipe(output, { end: false });
    // the output is complete only after exit 0
    program.finished.then(
      () => output.end(),
      (error: unknown) => output.destroy(error as Error),
    );
    output.once('close', () => program.kill());
    return output;
  }
  return format === 'tar.gz'
    ? pipeline(tar as unknown as Readable, createGzip(), () => undefined)
    : (tar as unknown as Readable);
}

async function packAll(tar: Pack, items: AsyncIterable<ArchiveItem>): Promise<void> {
  for await (const { name, kind, target, mode, modifiedAt, sizeBytes, content } of items) {
    const [plainName, mtime] = [withoutDrive(name), tarTime(modifiedAt)];
    const type = kind === 'link' ? 'symlink' : kind;
    const link = target === undefined ? {} : { linkname: target };
    const header = { name: plainName, mode, mtime, type, size: kind === 'file' ? sizeBytes : 0, ...link } as const;
    const entry = tar.entry(header) as unknown as Writable;
    // reported through the output
    entry.on('error', () => undefined);
    if (kind !== 'file') {
      entry.end();
      continue;
    }
    for await (const chunk of content()) {
      if (entry.destroyed) return;
      if (!entry.write(chunk)) await drained(entry);
    }
    entry.end();
  }
  tar.finalize();
}

/** tar-stream writes signed 32-bit seconds, and NaN for negative ones. */
function tarTime(date: Date): Date {
  return new Date(Math.min(Math.max(date.getTime(), 0), 0x7fffffff * 1000));
}

/** Archive programs take a drive prefix for an absolute path. */
function withoutDrive(name: string): string {
  return /^[a-z]:/i.test(name) ? `./${name}` : name;
}

interface Drainable {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** Removes listeners: a large file waits thousands of times. */
async function drained(stream: Drainable): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

function zipOf(items: AsyncIterable<ArchiveItem>, failure: AbortController): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as unknown as Readable;
  const addAll = async () => {
    for await (const { name, kind, target = '', mode, modifiedAt: mtime, sizeBytes: size, content } of items) {
      // without a reader, an added stream never ends or closes its file
      if (output.destroyed) return;
      const plainName = withoutDrive(name);
      if (kind === 'directory') {
        zip.addEmptyDirectory(plainName, { mtime, mode });
        continue;
      }
      if (kind === 'link') {
        zip.addBuffer(Buffer.from(target), plainName, { mtime, mode: linkMode, compress: false });
        continue;
      }
      const stream = streamOf(content(), failure, output);
      zip.addReadStream(stream, plainName, { mtime, mode, size, compressionLevel: 6 });
      // content is readable only while its item is current
      await new Promise<void>((resolve) => void stream.once('close', resolve));
    }
    zip.end();
  };
  void addAll().catch((error: unknown) => {
    failure.abort(error);
    output.destroy(error as Error);
  });
  return output;
}

function streamOf(content: AsyncIterable<Buffer>, failure: AbortController, output: Readable): Readable {
  const stream = new PassThrough();
  const pump = async () => {
    for await (const chunk of content) {
      if (output.destroyed) break;
      if (!stream.write(chunk)) await drained(stream);
    }
    stream.end();
  };
  void pump().catch((error: unknown) => {
    failure.abort(error);
    output.destroy(error as Error);
    stream.destroy();
  });
  output.once('close', () => stream.destroy());
  return stream;
}
