import { FileEntry } from '@panel/protos/files';
import { modeBits, modeText } from '../domain/mode.js';
import type { Entry } from '../jail/entries.js';

export function presentEntry(entry: Entry): FileEntry {
  return FileEntry.create({
    name: entry.name,
    mode: modeText(entry.mode),
    modeBits: modeBits(entry.mode),
    sizeBytes: entry.sizeBytes,
    isFile: entry.isFile,
    isSymlink: entry.isSymlink,
    mimetype: entry.mimetype,
    createTime: entry.createdAt,
    modifyTime: entry.modifiedAt,
  });
}
