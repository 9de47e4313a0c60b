import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromFdPromise } from 'yauzl';
import { detectCharset, type NameCharset } from '../domain/name-charset.js';

/** APPNOTE.TXT 4.4.4: the name is UTF-8. */
const utf8Flag = 0x800;
/** Above the limit of entries. */
const maxEntries = 100_001;

/** Of the names that do not state it. UTF-8 without any, and for a damaged directory, which the reader reports. */
export async function charsetOfZip(file: FileHandle): Promise<NameCharset> {
  const names: Buffer[] = [];
  try {
    const zip = await fromFdPromise(file.fd, { autoClose: false, lazyEntries: true, decodeStrings: false });
    let entries = 0;
    for await (const { generalPurposeBitFlag: flags, fileNameRaw } of zip.eachEntry() as AsyncIterable<Entry>) {
      if ((flags & utf8Flag) === 0) names.push(fileNameRaw);
      entries += 1;
      if (entries >= maxEntries) break;
    }
  } catch {
    return 'utf-8';
  }
  return detectCharset(names);
}
