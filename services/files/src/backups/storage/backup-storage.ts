import type { FileHandle } from 'node:fs/promises';
import type { Backup, BackupStorageKind } from '../../domain/backup.js';
import type { Owner } from '../../jail/owner.js';
import type { ScannedTree, ScanVisitor } from './scan-tree.js';

export type BackupRef = Pick<Backup, 'id' | 'serverId' | 'checksum'>;

/** Share done, 0 to 1. */
export type ReportShare = (share: number) => void;

export interface BackupSource {
  readonly root: FileHandle;
  /** Called once per backup. */
  readonly scan: (visitor?: ScanVisitor) => Promise<ScannedTree>;
  readonly signal: AbortSignal;
  readonly onArchived: ReportShare;
  readonly onVerified: ReportShare;
}

export interface StoredBackup {
  readonly sizeBytes: number;
  /** "sha256:" and hex digits. */
  readonly checksum: string;
}

export interface ExtractTarget {
  /** Empty and private, open for reading. */
  readonly directory: FileHandle;
  /** Owner if this process is root. */
  readonly owner: Owner;
  /** Relative, with everything below; empty: all. */
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
  readonly onExtracted: ReportShare;
}

export interface BackupEntry {
  /** `/`-separated, from the root. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface BackupContent {
  /** Null: generated on the fly, no ranges. */
  readonly totalBytes: number | null;
  readonly chunks: AsyncIterable<Buffer>;
}

/** One contract suite covers all. */
export interface BackupStorage {
  readonly kind: BackupStorageKind;
  /**
   * Verifies before it resolves. Replaces remains of an interrupted attempt. Throws DISK_FULL, NODE_DISK_LOW,
   * STORAGE_UNAVAILABLE, BACKUP_TOOL_FAILED, BACKUP_DAMAGED, and the reason of `signal`.
   */
  create(backup: BackupRef, source: BackupSource): Promise<StoredBackup>;
  /** Reads all back. Throws BACKUP_DAMAGED, BACKUP_MISSING, BACKUP_TOOL_FAILED, STORAGE_UNAVAILABLE. */
  verify(backup: BackupRef, signal: AbortSignal, onVerified: ReportShare): Promise<void>;
  /** Throws FILE_NOT_FOUND for an unknown path. */
  extract(backup: BackupRef, target: ExtractTarget): Promise<void>;
  /** A gzipped tar; ranges need a known length. `limit` 0: to the end. */
  open(backup: BackupRef, range: { offset: number; limit: number }, signal: AbortSignal): Promise<BackupContent>;
  /** Unordered children, at most `max`. Throws FILE_NOT_FOUND. */
  list(backup: BackupRef, directory: string, max: number, signal: AbortSignal): Promise<BackupEntry[]>;
  /** Idempotent. */
  delete(backup: BackupRef): Promise<void>;
  /** Idempotent. */
  deleteServer(serverId: string): Promise<void>;
  /** Includes remains of interrupted work. */
  sweep(isRetained: (backup: Omit<BackupRef, 'checksum'>) => Promise<boolean>, signal: AbortSignal): Promise<void>;
}
