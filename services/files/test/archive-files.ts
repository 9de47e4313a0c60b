import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { crc32, gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

const run = promisify(execFile);

/** Valid or not. */
export interface TarEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Buffer;
}

export async function tarOf(...entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry({ mode: 0o644, ...header }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function withChecksum(header: Buffer): Buffer {
  const summed = Buffer.from(header).fill(' ', 148, 156);
  const sum = summed.reduce((total, byte) => total + byte, 0);
  summed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return summed;
}

/** With libarchive (7z and zip). */
export async function packWith(directory: string, archive: string, options: readonly string[]): Promise<void> {
  await run('bsdtar', ['-c', '-f', archive, ...options, '-C', directory, '.']);
}

export const hostileFormats = ['tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.zst', 'zip', '7z', 'rar'] as const;
export type HostileFormat = (typeof hostileFormats)[number];

const compressors: Partial<Record<HostileFormat, string>> = { 'tar.bz2': 'bzip2', 'tar.xz': 'xz', 'tar.zst': 'zstd' };

/** Null when the format cannot represent the entries. */
export async function archiveOf(format: HostileFormat, entries: readonly TarEntry[]): Promise<Buffer | null> {
  if (format === 'zip' || format === 'rar') {
    const plain = entries.map(plainEntry);
    const sound = plain.filter((entry) => entry !== null);
    if (sound.length < plain.length) return null;
    return format === 'zip' ? zipOf(sound) : rarOf(...sound);
  }
  const tar = await tarOf(...entries);
  if (format === 'tar') return tar;
  if (format === 'tar.gz') return gzipSync(tar);
  const compressor = compressors[format];
  if (compressor !== undefined) {
    return execFileSync(compressor, ['-c'], { input: tar, maxBuffer: 2 ** 28, stdio: ['pipe', 'pipe', 'ignore'] });
  }
  return sevenZipOf(tar);
}

/** Null when libarchive refuses an entry in 7z. */
function sevenZipOf(tar: Buffer): Buffer | null {
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-7z-'));
  try {
    writeFileSync(path.join(directory, 'a.tar'), tar);
    const out = path.join(directory, 'a.7z');
    const from = `@${path.join(directory, 'a.tar')}`;
    execFileSync('bsdtar', ['-c', '-P', '-f', out, '--format', '7zip', from], { stdio: 'ignore' });
    return readFileSync(out);
  } catch {
    return null;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface PlainEntry {
  readonly name: string | Buffer;
  readonly mode: number;
  readonly content: Buffer;
}

const modes: Partial<Record<NonNullable<TarEntry['type']>, number>> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  'character-device': 0o020000,
  'block-device': 0o060000,
  fifo: 0o010000,
};

function plainEntry({ name, type = 'file', mode = 0o644, linkname, content = '' }: TarEntry): PlainEntry | null {
  const kind = modes[type];
  if (kind === undefined) return null;
  const isDirectory = type === 'directory';
  return { name: isDirectory ? `${name}/` : name, mode: kind | mode, content: Buffer.from(linkname ?? content) };
}

/** By APPNOTE.TXT; zip programs refuse such entries. The flag: names are UTF-8. */
export function zipOf(entries: readonly PlainEntry[], flags = 0x0800): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, mode, content } of entries) {
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags, 2);
    shared.writeUInt16LE(0x5821, 8);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(content.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.concat([Buffer.from('504b0304', 'hex'), shared, Buffer.from(name as string), content]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(mode * 65536, 6);
    tail.writeUInt32LE(offset, 10);
    // made by: Unix
    central.push(Buffer.from('504b01021403', 'hex'), shared, tail, Buffer.from(name));
    local.push(head);
    offset += head.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** RAR 4 by the published format; no free program writes rar. */
export function rarOf(...entries: readonly PlainEntry[]): Buffer {
  const marker = Buffer.from('526172211a0700', 'hex');
  const main = block(0x73, 0, Buffer.alloc(6));
  return Buffer.concat([marker, main, ...entries.flatMap(rarFile), block(0x7b, 0x4000, Buffer.alloc(0))]);
}

function rarFile({ name, mode, content }: PlainEntry): Buffer[] {
  const fields = Buffer.alloc(25);
  fields.writeUInt32LE(content.length, 0);
  fields.writeUInt32LE(content.length, 4);
  fields.writeUInt8(3, 8);
  fields.writeUInt32LE(crc32(content), 9);
  fields.writeUInt32LE(0x58000000, 13);
  fields.writeUInt8(20, 17);
  fields.writeUInt8(0x30, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 19);
  fields.writeUInt32LE(mode, 21);
  return [
    block(0x74, String(name).endsWith('/') ? 0x80e0 : 0x8000, Buffer.concat([fields, Buffer.from(name as string)])),
    content,
  ];
}

function block(type: number, flags: number, rest: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(type, 0);
  head.writeUInt16LE(flags, 1);
  head.writeUInt16LE(rest.length + 7, 3);
  const body = Buffer.concat([head, rest]);
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(crc32(body) & 0xffff, 0);
  return Buffer.concat([crc, body]);
}
