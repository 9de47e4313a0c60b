import { createHash } from 'node:crypto';
import { date, flag, id, oneOf, orNull, part, type RecordOf, text } from '@panel/kit/records';

export const credentialFields = {
  method: oneOf(['session', 'api_key']),
  id,
};
export type LinkCredential = RecordOf<typeof credentialFields>;

/** Permits one download to the bearer of the id. */
export const downloadLinkFields = {
  serverId: id,
  /** A moved server is read at its current node. */
  nodeId: id,
  /** Absolute inside the server, without links. */
  path: id,
  name: id,
  isDirectory: flag,
  /** Its rights apply. */
  madeWith: part(credentialFields),
  /** Client address; null before the start. */
  ip: orNull(text),
  /** Of the last use; null before the start. */
  claim: orNull(text),
  createdAt: date,
  /** Of the download's start or next part. */
  expiresAt: date,
};
export interface DownloadLink extends RecordOf<typeof downloadLinkFields> {
  /** `hashLinkId` of the id. */
  readonly hash: string;
}

/** Time to start a download. */
export const linkTtlMs = 60_000;
/** Time between parts of a download. */
export const linkContinuationMs = 60 * 60_000;
/** Maximum link age for any part. */
export const maxLinkAgeMs = 24 * 60 * 60_000;

/** Database readers must not download. */
export function hashLinkId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
