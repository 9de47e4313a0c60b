/** What the volume of a server on one node is counted for by the kernel (project quotas of ext4 and XFS). */
export interface DiskProject {
  /** Of no other volume in this database. */
  readonly id: number;
  readonly serverId: string;
  /** 0: none; null: not known yet. */
  readonly limitBytes: number | null;
  /** Whether all that lies in the volume is counted. */
  readonly isComplete: boolean;
}

/** 0: none. */
export function isDiskLimit(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0;
}
