import type { FilesContext } from '../../context.js';
import { noCondition } from '../../domain/write-condition.js';
import { type WrittenFile, writeFile } from './write-file.js';
import type { FileAccess } from '../../workspace/workspace.js';

/** The current content becomes a version. Throws VERSION_NOT_FOUND and as `writeFile`. */
export async function restoreFileVersion(
  context: FilesContext,
  { versionId, ...access }: FileAccess & { readonly versionId: string },
): Promise<WrittenFile & { readonly path: string }> {
  const version = await context.versions.find(access.grant.serverId, versionId);
  const bytes = await context.versions.read(version);
  async function* parts() {
    yield { kind: 'chunk', bytes } as const;
    yield { kind: 'finish', sizeBytes: bytes.length } as const;
  }
  const { path } = version;
  const written = await writeFile(context, {
    ...access,
    path,
    announcedBytes: bytes.length,
    condition: noCondition,
    parts: parts(),
  });
  return { ...written, path };
}
