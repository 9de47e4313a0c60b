import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import type { WrittenFormat } from '../domain/archive-format.js';
import { startArchiveProgram } from './archive-program.js';

/** What goes into an archive, in order. */
export interface ArchiveItem {
  /** Relative to the root of the archive, with `/` between names. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly mode: number;
  readonly modifiedAt: Date;
  readonly sizeBytes: number;
  /** Exactly `sizeBytes` bytes; only read while the item is current. */
  readonly content: () => AsyncIterable<Buffer>;
}

const commands: Partial<Record<WrittenFormat, readonly string[]>> = {
  'tar.bz2': ['bzip2', '-c'],
  'tar.xz': ['xz', '-c', '-2', '-T1'],
  'tar.zst': ['zstd', '-cq', '-3'],
};

/**
 * The bytes of an archive of `items`. One chunk is produced when one is read. Throws what `items` throws, ARCHIVE_TOOL_MISSING
 * and the reason of `signal`.
 */
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
    // the end of the output counts only when the program has succeeded
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
  for await (const { name, kind, mode, modifiedAt, sizeBytes, content } of items) {
    const [plainName, mtime] = [withoutDrive(name), tarTime(modifiedAt)];
    const header = { name: plainName, mode, mtime, type: kind, size: kind === 'file' ? sizeBytes : 0 } as const;
    const entry = tar.entry(header) as unknown as Writable;
    // reported through the output
    entry.on('error', () => undefined);
    if (kind === 'directory') {
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

/** tar-stream writes the seconds as a signed 32-bit number, and a negative one is no number in a header. */
function tarTime(date: Date): Date {
  return new Date(Math.min(Math.max(date.getTime(), 0), 0x7fffffff * 1000));
}

/** A name that begins like a drive of Windows is an absolute path for those who read and write archives. */
function withoutDrive(name: string): string {
  return /^[a-z]:/i.test(name) ? `./${name}` : name;
}

interface Drainable {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** Takes its listeners back: a large file is waited for many thousand times. */
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
    for await (const { name, kind, mode, modifiedAt: mtime, sizeBytes: size, content } of items) {
      // the archive has no reader any more: a stream that is added now would never end, and its file never be closed
      if (output.destroyed) return;
      const plainName = withoutDrive(name);
      if (kind === 'directory') {
        zip.addEmptyDirectory(plainName, { mtime, mode });
        continue;
      }
      const stream = streamOf(content(), failure, output);
      zip.addReadStream(stream, plainName, { mtime, mode, size, compressionLevel: 6 });
      // one at a time: the content is only readable while its item is current
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
