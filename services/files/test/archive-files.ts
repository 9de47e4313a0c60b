import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

const run = promisify(execFile);

/** An entry of a tar archive as a test wants it, sound or not. */
export interface TarEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Buffer;
}

/** The bytes of a tar archive of entries, in their order. */
export async function tarOf(...entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry({ mode: 0o644, ...header }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Pack the entries of a directory with libarchive, which writes 7z and zip. */
export async function packWith(directory: string, archive: string, options: readonly string[]): Promise<void> {
  await run('bsdtar', ['-c', '-f', archive, ...options, '-C', directory, '.']);
}

/** A RAR 4 archive of one stored file, by the published format: no free program writes rar. */
export function rarOf(name: string, content: Buffer): Buffer {
  const marker = Buffer.from('526172211a0700', 'hex');
  const main = block(0x73, 0, Buffer.alloc(6));
  const fields = Buffer.alloc(25);
  fields.writeUInt32LE(content.length, 0);
  fields.writeUInt32LE(content.length, 4);
  fields.writeUInt8(3, 8);
  fields.writeUInt32LE(crc32(content), 9);
  fields.writeUInt32LE(0x58000000, 13);
  fields.writeUInt8(20, 17);
  fields.writeUInt8(0x30, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 19);
  fields.writeUInt32LE(0o100644, 21);
  const file = block(0x74, 0x8000, Buffer.concat([fields, Buffer.from(name)]));
  return Buffer.concat([marker, main, file, content, block(0x7b, 0x4000, Buffer.alloc(0))]);
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
