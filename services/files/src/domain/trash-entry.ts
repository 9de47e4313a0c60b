/** A deleted file or directory that can be restored. */
export interface TrashEntry {
  readonly id: string;
  readonly serverId: string;
  /** The data root that holds its bytes. */
  readonly nodeId: string;
  /** Where it was, absolute inside the server. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** What it takes on the disk. */
  readonly sizeBytes: number;
  readonly deletedAt: Date;
}
