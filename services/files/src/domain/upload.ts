import { date, flag, id, number, oneOf, orNull, part, type RecordOf } from '@panel/kit/records';
import { credentialFields } from './download-link.js';
import { writeConditionFields } from './write-condition.js';

export const uploadFields = {
  id,
  serverId: id,
  nodeId: id,
  /** Absolute inside the server. */
  path: id,
  sizeBytes: number,
  /** Of the last piece; the file's length is authoritative. */
  offsetBytes: number,
  overwrite: flag,
  /** Of the file it replaces, checked when it is placed. Null, or absent in older documents: none. */
  condition: orNull(part(writeConditionFields)),
  /** `placing`: complete, possibly already in place. */
  state: oneOf(['receiving', 'placing', 'completed']),
  /** For pieces sent to the node itself. Null: a service. */
  madeWith: orNull(part(credentialFields)),
  createdAt: date,
  /** A new piece extends it. */
  expiresAt: date,
};
export interface Upload extends RecordOf<typeof uploadFields> {
  /** Raw Upload-Metadata. */
  readonly metadata: Readonly<Record<string, string | null>>;
}

export function uploadKey({ id }: Pick<Upload, 'id'>): string {
  return `upload ${id}`;
}

/** After the last piece. */
export const uploadTtlMs = 24 * 60 * 60_000;
/** Unfinished ones. */
export const maxUploadsPerServer = 50;
