import path from 'node:path';
import Docker from 'dockerode';

/** In any state, with a mount below a directory: a test's own on a shared engine. Empty without an engine. */
export async function containersBelow(directory: string, docker = new Docker()): Promise<Docker.ContainerInfo[]> {
  const all = await docker.listContainers({ all: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const below = `${path.resolve(directory)}${path.sep}`;
  return all.filter(({ Mounts }) => Mounts.some(({ Source }) => Source.startsWith(below)));
}

export async function removeContainersBelow(directory: string, docker = new Docker()): Promise<void> {
  const found = await containersBelow(directory, docker);
  await Promise.all(found.map(async ({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'EACCES';
}
