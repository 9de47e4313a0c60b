import type { FilesContext } from '../../context.js';
import { hashLinkId } from '../../domain/download-link.js';

interface ReleaseInput {
  readonly linkId: string;
  readonly serverId: string;
  /** Of `useDownloadLink`. */
  readonly claim: string;
}

/** After a use that has sent nothing: otherwise a refusal would use up the link. */
export async function releaseDownloadLink(
  { downloadLinks }: Pick<FilesContext, 'downloadLinks'>,
  { linkId, serverId, claim }: ReleaseInput,
): Promise<void> {
  await downloadLinks.release({ hash: hashLinkId(linkId), serverId, claim });
}
