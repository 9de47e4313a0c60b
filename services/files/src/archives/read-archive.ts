import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type AppError, isAppError } from '@panel/kit/errors';
import { extract, type Header } from 'tar-stream';
import { fail } from '../reasons.js';
import { isPlausibleRatio } from '../domain/archive-entry.js';
import {
  type ArchiveFormat,
  detectFormat,
  isoSignature,
  isTarHeader,
  signatureBytes,
  uncompressedName,
} from '../domain/archive-format.js';
import { decodeName, detectCharset, type NameCharset } from '../domain/name-charset.js';
import { type ArchiveProgram, startArchiveProgram } from './archive-program.js';
import { charsetOfZip } from './zip-names.js';

/** Untrusted. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symbolic link' | 'hard link' | 'other';
  /** Of a link. */
  readonly target: string;
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
  /** Of the archive. */
  readonly name: string;
}

const libarchive = ['bsdtar', '-cf', '-', '--format', 'pax', '@-'];
/** For the C library; UTF-8 is its default. */
const charsets: Readonly<Record<Exclude<NameCharset, 'utf-8'>, string>> = {
  cp437: 'CP437',
  shift_jis: 'CP932',
  gbk: 'GB18030',
};

/**
 * To a tar stream, which is parsed here, or the bytes of a single compressed file. libarchive gets zip, 7z and rar only,
 * and nothing that another of its readers takes: its mtree reader would open host files that the "archive" names.
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

/** tar of Unix V7 has no signature; names come as their bytes. The type does not know them. */
const parserOptions: object = { allowUnknownFormat: true, filenameEncoding: 'latin1' };

/** Between two entries, where limits of entries and bytes do not apply. */
const maxBetweenBytes = 4 * 1024 * 1024;

/** Fails with ARCHIVE_LIMIT above `maxBetweenBytes`, and for an implausible length of all, headers included. */
class HeaderMeter extends Transform {
  failure: AppError | null = null;
  #bytes = 0;
  #allBytes = 0;

  constructor(private readonly archiveBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.#bytes += chunk.length;
    this.#allBytes += chunk.length;
    this.failure = this.#findExcess();
    done(this.failure, chunk);
  }

  #findExcess(): AppError | null {
    if (this.#bytes > maxBetweenBytes) {
      return fail('ARCHIVE_LIMIT', 'there is too much between two entries', { limit: 'headers' });
    }
    return isPlausibleRatio(this.#allBytes, this.archiveBytes)
      ? null
      : fail('ARCHIVE_LIMIT', 'the content is implausibly large for the size of the archive', { limit: 'ratio' });
  }

  entryBegins(): void {
    this.#bytes = 0;
  }

  contentRead(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * In archive order; the signature gives the format. A single compressed file has one entry. Throws ARCHIVE_INVALID (no
 * archive, damaged, truncated, encrypted, sparse or ambiguous), ARCHIVE_LIMIT, ARCHIVE_TOOL_MISSING, and the reason of
 * `signal`.
 */
export async function* readArchive(file: FileHandle, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const { user, signal, name } = options;
  const format = await formatOf(file);
  const command = commands[format];
  const environment = await environmentOf(format, file);
  const meter = new HeaderMeter((await file.stat()).size);
  // read at once: Node discards the output of a program that ends before
  const program = command ? await startArchiveProgram(command, { inputFd: file.fd, user, environment }) : null;
  const kill = () => program?.kill();
  signal.addEventListener('abort', kill, { once: true });
  const source = program?.stdout ?? openStream(file, format);
  let failure: unknown;
  const toError = async (error: unknown) => {
    signal.throwIfAborted();
    return meter.failure ?? archiveError(error, failure, program);
  };
  try {
    const [head, bytes] = await readHead(source);
    const single = isTar(head) ? null : uncompressedName(format, name);
    if (single !== null) yield wholeFile(single, mapErrors(bytes, toError));
    else {
      const parser = extract(parserOptions);
      pipeline(bytes, meter, parser, (error) => (failure = error));
      // reported through the iterator
      parser.on('error', () => undefined);
      const names = new NameReader();
      for await (const entry of parser) {
        signal.throwIfAborted();
        meter.entryBegins();
        requireWhole(entry.header);
        yield describe(entry.header, names, metered(meter, mapErrors(entry as unknown as Readable, toError)));
        entry.resume();
      }
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

/** Throws ARCHIVE_INVALID. */
async function formatOf(file: FileHandle): Promise<ArchiveFormat> {
  const head = await readAt(file, 0, signatureBytes);
  const format = detectFormat(head);
  if (!format) throw fail('ARCHIVE_INVALID', 'this is not an archive that can be read');
  if (format === 'tar') return format;
  const descriptor = await readAt(file, isoSignature.offset, isoSignature.text.length);
  // libarchive prefers these readers to the one that the signature is for
  if (isTarHeader(head) || descriptor.toString('latin1') === isoSignature.text) {
    throw fail('ARCHIVE_INVALID', 'this archive is of two kinds at once');
  }
  return format;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function environmentOf(format: ArchiveFormat, file: FileHandle): Promise<Record<string, string>> {
  const charset = format === 'zip' ? await charsetOfZip(file) : 'utf-8';
  return charset === 'utf-8' ? {} : { TAR_READER_OPTIONS: `hdrcharset=${charsets[charset]}` };
}

function openStream(file: FileHandle, format: ArchiveFormat): Readable {
  const stream = file.createReadStream({ autoClose: false, start: 0 });
  return format === 'gzip' ? pipeline(stream, createGunzip(), () => undefined) : stream;
}

/** The first bytes, and all of them. */
async function readHead(source: Readable): Promise<readonly [Buffer, Readable]> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < signatureBytes) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const all = async function* () {
    if (head.length > 0) yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  return [head, Readable.from(all(), { objectMode: false })];
}

/** One without entries consists of zeros. */
function isTar(head: Buffer): boolean {
  return isTarHeader(head) || (head.length >= signatureBytes && !head.subarray(0, signatureBytes).some(Boolean));
}

function wholeFile(name: string, content: AsyncIterable<Buffer>): ArchiveEntry {
  return { name, kind: 'file', target: '', mode: 0o644, modifiedAt: null, sizeBytes: 0, content };
}

/** tar-stream gives the stored parts of a sparse file as its content. Throws ARCHIVE_INVALID. */
function requireWhole({ pax }: Header): void {
  if (!Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))) return;
  throw fail('ARCHIVE_INVALID', 'the archive holds sparse files; pack it without --sparse');
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

/** Of headers in latin1, and of pax headers in UTF-8. */
class NameReader {
  /** Of all names, by the first that is no UTF-8. */
  #charset: NameCharset = 'utf-8';

  read(inHeader: string, inPax: string | undefined): string {
    if (inPax !== undefined) return inPax;
    const bytes = Buffer.from(inHeader, 'latin1');
    const known = decodeName(bytes, this.#charset) ?? decodeName(bytes, 'utf-8');
    if (known !== null) return known;
    this.#charset = detectCharset([bytes]);
    return decodeName(bytes, this.#charset) ?? inHeader;
  }
}

const kinds: Partial<Record<NonNullable<Header['type']>, ArchiveEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symbolic link',
  link: 'hard link',
};

function describe(header: Header, names: NameReader, content: AsyncIterable<Buffer>): ArchiveEntry {
  const { type, mode, mtime, size, linkname } = header;
  const pax: Partial<Record<string, string>> = header.pax ?? {};
  const name = names.read(header.name, pax['path']);
  const target = names.read(linkname ?? '', pax['linkpath']);
  const stated = (type && kinds[type]) ?? 'other';
  const kind = stated === 'file' && name.endsWith('/') ? 'directory' : stated;
  const modifiedAt = mtime && Number.isFinite(mtime.getTime()) ? mtime : null;
  return { name, kind, target, mode, modifiedAt, sizeBytes: size, content };
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
