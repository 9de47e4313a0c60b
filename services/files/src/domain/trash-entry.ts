export interface TrashEntry {
  readonly id: string;
  readonly serverId: string;
  /** A data root. */
  readonly nodeId: string;
  /** Absolute inside the server. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** On disk. */
  readonly sizeBytes: number;
  readonly deletedAt: Date;
}
