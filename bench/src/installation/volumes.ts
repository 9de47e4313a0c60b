import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Installation } from './installation.js';

/** Directory of a server's files. */
export function volumeOf({ stack }: Installation, serverId: string): string {
  return path.join(stack.dataDir, 'node', 'servers', serverId);
}

/** Volumes for copied servers, each with one file, owned like the volume of `templateId`. */
export async function addVolumes(
  installation: Installation,
  templateId: string,
  serverIds: readonly string[],
  file: { readonly name: string; readonly content: string },
): Promise<void> {
  const { uid, gid, mode } = await stat(volumeOf(installation, templateId));
  for (const serverId of serverIds) {
    const directory = volumeOf(installation, serverId);
    await mkdir(directory, { mode: mode & 0o7777 });
    await chown(directory, uid, gid);
    await writeFile(path.join(directory, file.name), file.content);
    await chown(path.join(directory, file.name), uid, gid);
  }
}
