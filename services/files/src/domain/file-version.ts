export interface FileVersion {
  readonly id: string;
  readonly serverId: string;
  /** A data root. */
  readonly nodeId: string;
  /** Absolute inside the server. */
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** Time of its replacement. */
  readonly savedAt: Date;
}

/** Larger files have no history. */
export const maxVersionBytes = 1024 * 1024;
export const maxVersionsPerFile = 10;
