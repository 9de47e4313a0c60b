import { createHash } from 'node:crypto';

export interface LinkCredential {
  readonly method: 'session' | 'api_key';
  readonly id: string;
}

/** Permits one download to the bearer of the id. */
export interface DownloadLink {
  /** `hashLinkId` of the id. */
  readonly hash: string;
  readonly serverId: string;
  /** A moved server is read at its current node. */
  readonly nodeId: string;
  /** Absolute inside the server, without links. */
  readonly path: string;
  readonly name: string;
  readonly isDirectory: boolean;
  /** Its rights apply. */
  readonly madeWith: LinkCredential;
  /** Client address; null before the start. */
  readonly ip: string | null;
  readonly createdAt: Date;
  /** Of the download's start or next part. */
  readonly expiresAt: Date;
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
