import { type FieldMessages, invalidFields } from '@panel/kit/errors';
import { hasControlCharacters } from '@panel/rpc';

export const backupStorages = ['node', 's3', 'restic'] as const;
/** Where the bytes of a backup lie: on the disk of its nodes, in a bucket, or in a restic repository. */
export type BackupStorageKind = (typeof backupStorages)[number];

export const backupStates = ['pending', 'completed', 'failed', 'deleting'] as const;
/** `deleting` is never shown: its bytes are being removed. */
export type BackupState = (typeof backupStates)[number];

/** A backup that its deleted server has left. */
export interface Retention {
  readonly at: Date;
  /** What the panel calls the node and the server. */
  readonly nodeId: string;
  readonly serverName: string;
}

/** The record of a backup. */
export interface Backup {
  readonly id: string;
  readonly serverId: string;
  readonly name: string;
  readonly state: BackupState;
  readonly isLocked: boolean;
  readonly storage: BackupStorageKind;
  /** The data roots that have its bytes; of other storages the one it was made on. */
  readonly nodeIds: readonly string[];
  /** One of the places that the limit of the server leaves; null: it counts no more. Unique among those of a server. */
  readonly slot: number | null;
  /** The pending backup that replaces this one when it is completed. */
  readonly replacedBy: string | null;
  /** gitignore patterns. */
  readonly ignoredFiles: readonly string[];
  /** Names of the databases whose dumps are in it. */
  readonly databases: readonly string[];
  /** What it takes in its storage. */
  readonly sizeBytes: number;
  /** Lengths of the files in it. */
  readonly contentBytes: number;
  readonly entries: number;
  /** "sha256:" and hex digits; empty until completed. */
  readonly checksum: string;
  readonly errorReason: string;
  readonly errorMessage: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  /** An unconfirmed pending backup fails then. */
  readonly confirmBy: Date | null;
  readonly restoredAt: Date | null;
  readonly restoreError: string;
  /** Null: its server is there. */
  readonly retention: Retention | null;
}

const maxNameLength = 191;
const maxPatterns = 200;
const maxPatternLength = 255;
/** Each one multiplies the work of a comparison. */
const maxStars = 8;

/** The name and patterns of a new backup. Throws INVALID_FIELDS. */
export function checkNewBackup(name: string, ignoredFiles: readonly string[]): void {
  const fields: FieldMessages = {};
  if (name.length > maxNameLength || hasControlCharacters(name)) {
    fields['name'] = [`must be one line of at most ${maxNameLength} characters`];
  }
  const problem = ignoredFiles.length > maxPatterns ? `must be at most ${maxPatterns}` : patternProblems(ignoredFiles);
  if (problem !== null) fields['ignored_files'] = [problem];
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
}

function patternProblems(patterns: readonly string[]): string | null {
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== null) return problem;
  }
  return null;
}

/** What is wrong with a gitignore pattern; null when nothing is. */
function patternProblem(pattern: string): string | null {
  if (pattern.length > maxPatternLength) return `patterns must be at most ${maxPatternLength} characters`;
  if (hasControlCharacters(pattern)) return 'patterns must not contain control characters';
  if (pattern.split('/').includes('..')) return 'patterns must not contain ..';
  if (pattern.split('*').length - 1 > maxStars) return `patterns must not contain more than ${maxStars} asterisks`;
  if (/^!\/?\*+$/.test(pattern.trim())) return 'patterns must not include everything again';
  return null;
}

/** The patterns of a .panelignore file; lines that are no valid pattern are left out. */
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
