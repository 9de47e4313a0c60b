import { createHash } from 'node:crypto';

/** A session or API key. */
export interface LinkCredential {
  readonly method: 'session' | 'api_key';
  /** Of the session or the API key. */
  readonly id: string;
}

/** The right to one download of one file or directory, for the bearer of the link's id. */
export interface DownloadLink {
  /** `hashLinkId` of the id that only its maker has. */
  readonly hash: string;
  readonly serverId: string;
  /** Where it was made; a server that has moved since is read where it is. */
  readonly nodeId: string;
  /** Absolute inside the server, without links. */
  readonly path: string;
  /** Of the download. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** Credential of the maker: the download is read with its rights. */
  readonly madeWith: LinkCredential;
  /** Address of the client that has begun; null before. */
  readonly ip: string | null;
  readonly createdAt: Date;
  /** Until when the download has to begin, or its next part. */
  readonly expiresAt: Date;
}

/** A download has to begin within this time. */
export const linkTtlMs = 60_000;
/** The next part of a download in progress has to be asked for within this time. */
export const linkContinuationMs = 60 * 60_000;
/** No part is sent of a link that is older. */
export const maxLinkAgeMs = 24 * 60 * 60_000;

/** What is stored of an id: a reader of the database cannot download. */
export function hashLinkId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
