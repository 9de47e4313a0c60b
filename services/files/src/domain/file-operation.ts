export type OperationKind = 'compress' | 'decompress' | 'pull';
type OperationState = 'running' | 'completed' | 'failed' | 'cancelled';

export interface FileOperation {
  readonly id: string;
  readonly serverId: string;
  /** A data root. */
  readonly nodeId: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  /** Result or target, absolute; empty until known. */
  readonly path: string;
  readonly bytesDone: number;
  /** 0: unknown. */
  readonly bytesTotal: number;
  readonly entriesDone: number;
  /** Like links of a compressed directory. */
  readonly entriesSkipped: number;
  /** Empty unless failed. */
  readonly errorReason: string;
  readonly errorMessage: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}
