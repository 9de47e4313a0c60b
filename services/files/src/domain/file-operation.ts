export type OperationKind = 'compress' | 'decompress' | 'pull';
type OperationState = 'running' | 'completed' | 'failed' | 'cancelled';

/** Long file work of one server, as the API shows it. */
export interface FileOperation {
  readonly id: string;
  readonly serverId: string;
  /** The data root that it runs on. */
  readonly nodeId: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** Absolute path inside the server: what it makes, or where it extracts to. Empty until it is known. */
  readonly path: string;
  readonly bytesDone: number;
  /** 0 when unknown. */
  readonly bytesTotal: number;
  readonly entriesDone: number;
  /** Entries that were left out, like links of a compressed directory. */
  readonly entriesSkipped: number;
  /** Of a failed one; else empty. */
  readonly errorReason: string;
  readonly errorMessage: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}
