/** Project quota (ext4, XFS). */
export interface DiskProject {
  /** Unique in this database. */
  readonly id: number;
  readonly serverId: string;
  /** 0: unlimited; null: not yet known. */
  readonly limitBytes: number | null;
  readonly isComplete: boolean;
}

/** 0: unlimited. */
export function isDiskLimit(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0;
}
