import { isAscii } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromFdPromise } from 'yauzl';
import { detectCharset, type NameCharset } from '../domain/name-charset.js';

/** APPNOTE.TXT 4.4.4: the name is UTF-8. */
const utf8Flag = 0x800;
/** Enough to detect a charset, decoded in milliseconds. */
const maxNames = 1_000;
const maxNameBytes = 64 * 1024;

/** Of the first names that do not state it. UTF-8 without any, and for a damaged directory, which the reader reports. */
export async function charsetOfZip(file: FileHandle): Promise<NameCharset> {
  const names: Buffer[] = [];
  let bytes = 0;
  try {
    const zip = await fromFdPromise(file.fd, { autoClose: false, lazyEntries: true, decodeStrings: false });
    for await (const { generalPurposeBitFlag: flags, fileNameRaw } of zip.eachEntry() as AsyncIterable<Entry>) {
      if ((flags & utf8Flag) !== 0 || isAscii(fileNameRaw)) continue;
      names.push(fileNameRaw);
      bytes += fileNameRaw.length;
      if (names.length >= maxNames || bytes >= maxNameBytes) break;
    }
  } catch {
    return 'utf-8';
  }
  return detectCharset(names);
}
