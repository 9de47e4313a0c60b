import type { LinkCredential } from './download-link.js';

export interface Upload {
  readonly id: string;
  readonly serverId: string;
  readonly nodeId: string;
  /** Absolute inside the server. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Of the last piece; the file's length is authoritative. */
  readonly offsetBytes: number;
  readonly overwrite: boolean;
  /** `placing`: complete, possibly already in place. */
  readonly state: 'receiving' | 'placing' | 'completed';
  /** Raw Upload-Metadata. */
  readonly metadata: Readonly<Record<string, string | null>>;
  /** For pieces sent to the node itself. Null: a service. */
  readonly madeWith: LinkCredential | null;
  readonly createdAt: Date;
  /** A new piece extends it. */
  readonly expiresAt: Date;
}

export function uploadKey({ id }: Pick<Upload, 'id'>): string {
  return `upload ${id}`;
}

/** After the last piece. */
export const uploadTtlMs = 24 * 60 * 60_000;
/** Unfinished ones. */
export const maxUploadsPerServer = 50;
