import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type AppError, isAppError } from '@panel/kit/errors';
import { extract, type Header } from 'tar-stream';
import { fail } from '../reasons.js';
import { type ArchiveFormat, detectFormat, signatureBytes } from '../domain/archive-format.js';
import { type ArchiveProgram, startArchiveProgram } from './archive-program.js';

/** Untrusted. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly mode: number;
  readonly modifiedAt: Date | null;
  readonly sizeBytes: number;
  /** To be read before the next entry. */
  readonly content: AsyncIterable<Buffer>;
}

interface ReadOptions {
  /** Of the programs, if this process is root. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  readonly signal: AbortSignal;
}

const libarchive = ['bsdtar', '-cf', '-', '--format', 'pax', '@-'];

/**
 * To a tar stream, which is parsed here. libarchive gets zip, 7z and rar only after a signature check: its mtree reader
 * would open host files that the "archive" names.
 */
const commands: Partial<Record<ArchiveFormat, readonly string[]>> = {
  zip: libarchive,
  '7z': libarchive,
  rar: libarchive,
  bzip2: ['bzip2', '-dc'],
  // twice the usual maximum
  xz: ['xz', '-dc', '-T1', '--memlimit=128MiB'],
  zstd: ['zstd', '-dcq', '--memory=128MB'],
};

/** Between two entries, where limits of entries and bytes do not apply. */
const maxBetweenBytes = 4 * 1024 * 1024;

/** Fails with ARCHIVE_LIMIT above `maxBetweenBytes`. */
class HeaderMeter extends Transform {
  failure: AppError | null = null;
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= maxBetweenBytes) return done(null, chunk);
    this.failure = fail('ARCHIVE_LIMIT', 'there is too much between two entries', { limit: 'headers' });
    done(this.failure);
  }

  entryBegins(): void {
    this.#bytes = 0;
  }

  contentRead(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * In archive order; the signature gives the format. Throws ARCHIVE_INVALID (no archive, damaged, truncated or
 * encrypted), ARCHIVE_LIMIT, ARCHIVE_TOOL_MISSING, and the reason of `signal`.
 */
export async function* readArchive(file: FileHandle, { user, signal }: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const format = await formatOf(file);
  const command = commands[format];
  const program = command ? await startArchiveProgram(command, { inputFd: file.fd, user }) : null;
  const kill = () => program?.kill();
  signal.addEventListener('abort', kill, { once: true });
  const parser = extract();
  const source = program?.stdout ?? openStream(file, format);
  let failure: unknown;
  const meter = new HeaderMeter();
  pipeline(source, meter, parser, (error) => (failure = error));
  // reported through the iterator
  parser.on('error', () => undefined);
  const toError = async (error: unknown) => {
    signal.throwIfAborted();
    return meter.failure ?? archiveError(error, failure, program);
  };
  try {
    for await (const entry of parser) {
      signal.throwIfAborted();
      meter.entryBegins();
      yield describe(entry.header, metered(meter, mapErrors(entry as unknown as Readable, toError)));
      entry.resume();
    }
    await program?.finished;
  } catch (error) {
    throw await toError(error);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    source.destroy();
  }
}

async function formatOf(file: FileHandle): Promise<ArchiveFormat> {
  const head = Buffer.alloc(signatureBytes);
  const { bytesRead } = await file.read(head, 0, signatureBytes, 0);
  const format = detectFormat(head.subarray(0, bytesRead));
  if (!format) throw fail('ARCHIVE_INVALID', 'this is not an archive that can be read');
  return format;
}

function openStream(file: FileHandle, format: ArchiveFormat): Readable {
  const stream = file.createReadStream({ autoClose: false, start: 0 });
  return format === 'gzip' ? pipeline(stream, createGunzip(), () => undefined) : stream;
}

async function* mapErrors(content: Readable, toError: (error: unknown) => Promise<unknown>): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Buffer>;
    try {
      next = await chunks.next();
    } catch (error) {
      throw await toError(error);
    }
    if (next.done) return;
    yield next.value;
  }
}

async function* metered(meter: HeaderMeter, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    meter.contentRead(chunk.length);
    yield chunk;
  }
}

function describe(header: Header, content: AsyncIterable<Buffer>): ArchiveEntry {
  const { type, name, mode, mtime, size } = header;
  const isFile = type === 'file' || type === 'contiguous-file';
  const kind = isFile ? (name.endsWith('/') ? 'directory' : 'file') : type === 'directory' ? 'directory' : 'other';
  const modifiedAt = mtime && Number.isFinite(mtime.getTime()) ? mtime : null;
  return { name, kind, mode, modifiedAt, sizeBytes: size, content };
}

/** Prefers the program's error to that of its broken stream. */
async function archiveError(error: unknown, failure: unknown, program: ArchiveProgram | null): Promise<unknown> {
  if (isAppError(error)) return error;
  program?.kill();
  const reported = await program?.finished.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (isAppError(reported, 'ARCHIVE_TOOL_MISSING')) return reported;
  return fail(
    'ARCHIVE_INVALID',
    'the archive is damaged, encrypted or of an unsupported kind',
    {},
    { cause: failure ?? error },
  );
}
