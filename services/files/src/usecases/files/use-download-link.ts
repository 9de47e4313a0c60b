import { randomUUID } from 'node:crypto';
import type { FilesContext } from '../../context.js';
import { type DownloadLink, hashLinkId, linkContinuationMs, maxLinkAgeMs } from '../../domain/download-link.js';
import { fail } from '../../reasons.js';

interface UseLinkInput {
  readonly linkId: string;
  readonly serverId: string;
  readonly ip: string;
  readonly isRange: boolean;
}

interface UsedLink {
  readonly link: DownloadLink;
  /** For `releaseDownloadLink`; null for a part after the first. */
  readonly claim: string | null;
}

/** Throws DOWNLOAD_LINK_INVALID. */
export async function useDownloadLink(
  { clock, downloadLinks }: Pick<FilesContext, 'clock' | 'downloadLinks'>,
  { linkId, serverId, ip, isRange }: UseLinkInput,
): Promise<UsedLink> {
  const now = clock();
  const claim = randomUUID();
  const link = await downloadLinks.use({
    hash: hashLinkId(linkId),
    serverId,
    ip,
    claim,
    isContinuation: isRange,
    now,
    madeAfter: new Date(now.getTime() - maxLinkAgeMs),
    expiresAt: new Date(now.getTime() + linkContinuationMs),
  });
  if (!link) throw fail('DOWNLOAD_LINK_INVALID', 'there is no such link');
  return { link, claim: link.ip === null ? claim : null };
}
