import { type FieldMessages, requireValid } from '@panel/kit/errors';
import {
  date,
  flag,
  id,
  listOf,
  number,
  oneOf,
  orNull,
  part,
  type RecordOf,
  text,
  withDefault,
} from '@panel/kit/records';
import { hasControlCharacters } from '@panel/kit/text';

export const backupStorages = ['node', 's3', 'restic'] as const;
export type BackupStorageKind = (typeof backupStorages)[number];

export const backupStates = ['pending', 'completed', 'failed', 'deleting'] as const;
/** `deleting` is internal: bytes are being removed. */
export type BackupState = (typeof backupStates)[number];

/** For a deleted server. */
const retentionFields = {
  at: date,
  nodeId: text,
  serverName: text,
};
export type Retention = RecordOf<typeof retentionFields>;

export const backupFields = {
  id,
  serverId: id,
  name: text,
  state: oneOf(backupStates),
  isLocked: withDefault(flag, false),
  storage: oneOf(backupStorages),
  /** The bucket or repository, which other nodes may reach too; empty: the disk of a node. */
  destination: text,
  /** Data roots with its bytes; of a bucket or repository those that made, read or delete it. */
  nodeIds: listOf(text),
  /** Within the server's limit, unique per server; null: outside. */
  slot: orNull(number),
  /** It replaces this one once completed. */
  replacedBy: orNull(text),
  /** gitignore patterns. */
  ignoredFiles: listOf(text),
  databases: listOf(text),
  /** In its storage. */
  sizeBytes: withDefault(number, 0),
  /** Total file length. */
  contentBytes: withDefault(number, 0),
  entries: withDefault(number, 0),
  /** "sha256:" and hex digits; empty until completed. */
  checksum: text,
  errorReason: text,
  errorMessage: text,
  createdAt: date,
  completedAt: orNull(date),
  /** An unconfirmed pending backup fails then. */
  confirmBy: orNull(date),
  restoredAt: orNull(date),
  restoreError: text,
  /** What staff should check; empty: nothing. */
  warning: text,
  /** Null: the server exists. */
  retention: orNull(part(retentionFields)),
};
export type Backup = RecordOf<typeof backupFields>;

/** Below this share of the content of the backup before, something is probably missing. */
const minPlausibleShare = 0.1;

type Extent = Pick<Backup, 'entries' | 'contentBytes'>;

/** The sentence for its owner, or null: as much as before, more or less. */
export function replacementWarning(made: Extent, replaced: Extent): string | null {
  const isEmpty = made.entries === 0 && replaced.entries > 0;
  if (!isEmpty && made.contentBytes >= replaced.contentBytes * minPlausibleShare) return null;
  const share = replaced.contentBytes === 0 ? 0 : Math.floor((100 * made.contentBytes) / replaced.contentBytes);
  const extent = isEmpty ? 'this backup is empty' : `this backup has ${share} % of the content of the one before`;
  return `${extent}: the one before was not replaced`;
}

const maxNameLength = 191;
const maxPatterns = 200;
const maxPatternLength = 255;
/** Each one multiplies the matching time. */
const maxStars = 8;

/** Throws INVALID_FIELDS. */
export function checkNewBackup(name: string, ignoredFiles: readonly string[]): void {
  const fields: FieldMessages = {};
  if (name.length > maxNameLength || hasControlCharacters(name)) {
    fields['name'] = [`must be one line of at most ${maxNameLength} characters`];
  }
  const problem = ignoredFiles.length > maxPatterns ? `must be at most ${maxPatterns}` : patternProblems(ignoredFiles);
  if (problem !== null) fields['ignored_files'] = [problem];
  requireValid(fields);
}

function patternProblems(patterns: readonly string[]): string | null {
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== null) return problem;
  }
  return null;
}

/** Null: valid. */
function patternProblem(pattern: string): string | null {
  if (pattern.length > maxPatternLength) return `patterns must be at most ${maxPatternLength} characters`;
  if (hasControlCharacters(pattern)) return 'patterns must not contain control characters';
  if (pattern.split('/').includes('..')) return 'patterns must not contain ..';
  if (pattern.split('*').length - 1 > maxStars) return `patterns must not contain more than ${maxStars} asterisks`;
  if (/^!\/?\*+$/.test(pattern.trim())) return 'patterns must not include everything again';
  return null;
}

/** Skips invalid lines. */
export function parseIgnoreFile(text: string): string[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.filter((line) => patternProblem(line) === null).slice(0, maxPatterns);
}

/** "Backup at 2026-01-31 12:00:00" in UTC. */
export function defaultBackupName(at: Date): string {
  return `Backup at ${at.toISOString().slice(0, 19).replace('T', ' ')}`;
}
