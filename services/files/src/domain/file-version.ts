/** An earlier content of a text file. */
export interface FileVersion {
  readonly id: string;
  readonly serverId: string;
  /** The data root that holds its bytes. */
  readonly nodeId: string;
  /** Absolute inside the server. */
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** When it was replaced. */
  readonly savedAt: Date;
}

/** Larger files have no history. */
export const maxVersionBytes = 1024 * 1024;
export const maxVersionsPerFile = 10;
