import type { FilesContext } from '../../context.js';
import { type DownloadLink, hashLinkId, linkContinuationMs, maxLinkAgeMs } from '../../domain/download-link.js';
import { fail } from '../../reasons.js';

interface UseLinkInput {
  readonly linkId: string;
  readonly serverId: string;
  readonly ip: string;
  readonly isRange: boolean;
}

/** Throws DOWNLOAD_LINK_INVALID. */
export async function useDownloadLink(
  { clock, downloadLinks }: Pick<FilesContext, 'clock' | 'downloadLinks'>,
  { linkId, serverId, ip, isRange }: UseLinkInput,
): Promise<DownloadLink> {
  const now = clock();
  const link = await downloadLinks.use({
    hash: hashLinkId(linkId),
    serverId,
    ip,
    isContinuation: isRange,
    now,
    madeAfter: new Date(now.getTime() - maxLinkAgeMs),
    expiresAt: new Date(now.getTime() + linkContinuationMs),
  });
  if (!link) throw fail('DOWNLOAD_LINK_INVALID', 'there is no such link');
  return link;
}
