import { FileEntry, FileVersion as ProtoVersion, TrashEntry as ProtoTrashEntry } from '@panel/protos/files';
import type { FileVersion } from '../domain/file-version.js';
import type { TrashEntry } from '../domain/trash-entry.js';
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

export function presentTrashEntry({ deletedAt, ...entry }: TrashEntry, retentionMs: number): ProtoTrashEntry {
  return ProtoTrashEntry.create({
    id: entry.id,
    path: entry.path,
    isDirectory: entry.isDirectory,
    sizeBytes: entry.sizeBytes,
    deleteTime: deletedAt,
    expireTime: new Date(deletedAt.getTime() + retentionMs),
  });
}

export function presentFileVersion({ id, path, sizeBytes, sha256, savedAt }: FileVersion): ProtoVersion {
  return ProtoVersion.create({ id, path, sizeBytes, sha256, saveTime: savedAt });
}
