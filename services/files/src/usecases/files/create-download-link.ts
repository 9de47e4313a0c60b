import { randomUUID } from 'node:crypto';
import type { FilesContext } from '../../context.js';
import { type DownloadLink, hashLinkId, type LinkCredential, linkTtlMs } from '../../domain/download-link.js';
import { displayName, displayPath, parsePath } from '../../domain/path.js';
import { resolve } from '../../jail/resolve.js';
import { fail } from '../../reasons.js';
import { type FileAccess, withWorkspace } from '../../workspace/workspace.js';

interface LinkInput extends FileAccess {
  readonly path: string;
  readonly madeWith: LinkCredential;
}

interface CreatedLink {
  /** Secret. */
  readonly id: string;
  readonly link: DownloadLink;
}

/** Throws FILE_NOT_FOUND, NOT_A_FILE, FILE_DENIED, PATH_FORBIDDEN, LINK_REFUSED. */
export async function createDownloadLink(
  context: FilesContext,
  { path, madeWith, ...access }: LinkInput,
): Promise<CreatedLink> {
  return withWorkspace(context, access, async ({ guard, root }) => {
    const requested = parsePath(path, 'path');
    return resolve(root, requested, { followLast: true }, async ({ segments, stats }) => {
      const isDirectory = stats.isDirectory();
      if (!isDirectory && !stats.isFile()) throw fail('NOT_A_FILE', 'this is neither a file nor a directory');
      for (const one of [requested, segments]) guard.check(displayPath(one), isDirectory);
      const id = randomUUID();
      const now = context.clock();
      const link = {
        hash: hashLinkId(id),
        serverId: access.grant.serverId,
        nodeId: context.nodeId,
        path: `/${displayPath(segments)}`,
        name: downloadName(requested.at(-1), isDirectory),
        isDirectory,
        madeWith,
        ip: null,
        claim: null,
        createdAt: now,
        expiresAt: new Date(now.getTime() + linkTtlMs),
      };
      await context.downloadLinks.insert(link);
      return { id, link };
    });
  });
}

function downloadName(last: Buffer | undefined, isDirectory: boolean): string {
  const name = last ? displayName(last) : 'files';
  return isDirectory ? `${name}.tar.gz` : name;
}
