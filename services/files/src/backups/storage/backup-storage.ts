import type { FileHandle } from 'node:fs/promises';
import type { Backup, BackupStorageKind } from '../../domain/backup.js';
import type { Owner } from '../../jail/owner.js';
import type { ScannedTree, ScanVisitor } from './scan-tree.js';

/** Names the bytes of a backup. */
export type BackupRef = Pick<Backup, 'id' | 'serverId' | 'checksum'>;

/** Called with how much of the work is done, 0 to 1. */
export type ReportShare = (share: number) => void;

/** What a backup is made of. */
export interface BackupSource {
  /** The open root of the volume. */
  readonly root: FileHandle;
  /** Measure the volume and find what is left out; a storage calls it once. */
  readonly scan: (visitor?: ScanVisitor) => Promise<ScannedTree>;
  readonly signal: AbortSignal;
  readonly onArchived: ReportShare;
  readonly onVerified: ReportShare;
}

/** What has come of it. */
export interface StoredBackup {
  readonly sizeBytes: number;
  /** "sha256:" and hex digits. */
  readonly checksum: string;
}

/** Where the files of a backup go. */
export interface ExtractTarget {
  /** An empty directory that only this process reaches, open for reading. */
  readonly directory: FileHandle;
  /** Owns the files when this process is root. */
  readonly owner: Owner;
  /** Relative to the root, only these and what is below; empty: everything. */
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
  readonly onExtracted: ReportShare;
}

/** One file or directory of a backup. */
export interface BackupEntry {
  /** Names from the root, with `/` between them. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/** The bytes of a download. */
export interface BackupContent {
  /** Null: made while it is sent, so that there are no ranges. */
  readonly totalBytes: number | null;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Keeps the bytes of backups. One contract suite runs against all of them. */
export interface BackupStorage {
  readonly kind: BackupStorageKind;
  /**
   * Store a volume, and read back what was stored before it resolves. Replaces what an interrupted attempt has left. Throws
   * DISK_FULL, NODE_DISK_LOW, STORAGE_UNAVAILABLE, BACKUP_TOOL_FAILED, BACKUP_DAMAGED, and the reason of `signal`.
   */
  create(backup: BackupRef, source: BackupSource): Promise<StoredBackup>;
  /** Read everything back. Throws BACKUP_DAMAGED, BACKUP_MISSING, BACKUP_TOOL_FAILED, STORAGE_UNAVAILABLE. */
  verify(backup: BackupRef, signal: AbortSignal, onVerified: ReportShare): Promise<void>;
  /** Put files into a directory. Throws FILE_NOT_FOUND for a path that is not in the backup. */
  extract(backup: BackupRef, target: ExtractTarget): Promise<void>;
  /** A gzipped tar of it; a part when its length is known. `limit` 0: to the end. */
  open(backup: BackupRef, range: { offset: number; limit: number }, signal: AbortSignal): Promise<BackupContent>;
  /** What is in one directory of it, in no order, at most `max`. Throws FILE_NOT_FOUND. */
  list(backup: BackupRef, directory: string, max: number, signal: AbortSignal): Promise<BackupEntry[]>;
  /** Idempotent. */
  delete(backup: BackupRef): Promise<void>;
  /** Everything of a server. Idempotent. */
  deleteServer(serverId: string): Promise<void>;
  /** Remove what interrupted work has left, and what is not to be kept. */
  sweep(isKept: (backup: Omit<BackupRef, 'checksum'>) => Promise<boolean>, signal: AbortSignal): Promise<void>;
}
