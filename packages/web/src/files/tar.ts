const blockBytes = 512;

export interface TarEntry {
  readonly path: string;
  readonly file: Blob;
  readonly modifiedAt: number;
}

/** The browser reads the files while sending. Long paths get a pax header. */
export function createTar(entries: readonly TarEntry[]): Blob {
  const parts: BlobPart[] = [];
  for (const { path, file, modifiedAt } of entries) {
    if (new TextEncoder().encode(path).length > 100) {
      const record = paxRecord('path', path);
      parts.push(header('pax', record.length, modifiedAt, 'x'), record, padding(record.length));
    }
    parts.push(header(path, file.size, modifiedAt, '0'), file, padding(file.size));
  }
  parts.push(new Uint8Array(blockBytes * 2));
  return new Blob(parts, { type: 'application/x-tar' });
}

function padding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);
}

/** "LENGTH key=value\n", where LENGTH counts itself. */
function paxRecord(key: string, value: string): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(` ${key}=${value}\n`).length;
  let length = body + String(body).length;
  if (String(length).length !== String(body).length) length = body + String(length).length;
  return new TextEncoder().encode(`${length} ${key}=${value}\n`);
}

function header(path: string, size: number, modifiedAt: number, type: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes);
  const put = (at: number, bytes: Uint8Array) => block.set(bytes, at);
  const text = (at: number, value: string) => put(at, new TextEncoder().encode(value));
  put(0, new TextEncoder().encode(path).slice(0, 100));
  text(100, '0000644\0');
  text(108, '0000000\0');
  text(116, '0000000\0');
  put(124, sizeField(size));
  text(
    136,
    `${Math.floor(modifiedAt / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
  );
  text(148, '        ');
  text(156, type);
  text(257, 'ustar\x0000');
  const sum = block.reduce((total, byte) => total + byte, 0);
  text(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

/** Octal, or binary beyond its range. */
function sizeField(size: number): Uint8Array {
  const field = new Uint8Array(12);
  if (size < 8 ** 11) {
    field.set(new TextEncoder().encode(`${size.toString(8).padStart(11, '0')}\0`));
    return field;
  }
  new DataView(field.buffer).setBigUint64(4, BigInt(size));
  field[0] = 0x80;
  return field;
}
