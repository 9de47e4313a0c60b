import { messageFields } from '@panel/kit/records';
import type { FileEntry, FileVersion as ProtoVersion, TrashEntry as ProtoTrashEntry } from '@panel/protos/files';
import type { FileVersion } from '../domain/file-version.js';
import type { TrashEntry } from '../domain/trash-entry.js';
import { modeBits, modeText } from '../domain/mode.js';
import type { Entry } from '../jail/entries.js';

export function presentEntry(entry: Entry): FileEntry {
  return {
    ...messageFields(entry),
    mode: modeText(entry.mode),
    modeBits: modeBits(entry.mode),
    createTime: entry.createdAt,
    modifyTime: entry.modifiedAt,
  };
}

export function presentTrashEntry({ deletedAt, ...entry }: TrashEntry, retentionMs: number): ProtoTrashEntry {
  const expireTime = new Date(deletedAt.getTime() + retentionMs);
  return { ...messageFields(entry), deleteTime: deletedAt, expireTime };
}

export function presentFileVersion(version: FileVersion): ProtoVersion {
  return { ...messageFields(version), saveTime: version.savedAt };
}
