export interface TrashEntry {
  readonly id: string;
  readonly serverId: string;
  /** The data root with its bytes. */
  readonly nodeId: string;
  /** Original path, absolute inside the server. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** On disk. */
  readonly sizeBytes: number;
  readonly deletedAt: Date;
}
