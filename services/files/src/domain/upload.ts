import type { LinkCredential } from './download-link.js';

/** A file that arrives in pieces. */
export interface Upload {
  readonly id: string;
  readonly serverId: string;
  readonly nodeId: string;
  /** Where the file will be, absolute inside the server. */
  readonly path: string;
  readonly sizeBytes: number;
  /** What had arrived at the end of the last piece; the truth is the length of the file. */
  readonly offsetBytes: number;
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean;
  /** `placing`: all has arrived, and the file may be in its place already. */
  readonly state: 'receiving' | 'placing' | 'completed';
  /** Upload-Metadata as the client sent it. */
  readonly metadata: Readonly<Record<string, string | null>>;
  /** Credential of the creator: pieces sent to the node itself come with its rights. Null: a service. */
  readonly madeWith: LinkCredential | null;
  readonly createdAt: Date;
  /** Unless another piece arrives. */
  readonly expiresAt: Date;
}

/** One at a time changes an upload. */
export function uploadKey({ id }: Pick<Upload, 'id'>): string {
  return `upload ${id}`;
}

/** An upload ends this long after its last piece. */
export const uploadTtlMs = 24 * 60 * 60_000;
/** Unfinished uploads of one server at a time. */
export const maxUploadsPerServer = 50;
