import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { pack } from 'tar-stream';

const busyboxPlaces = ['/bin/busybox', '/usr/bin/busybox'];
const applets =
  'sh ash cat chmod chown cut dd echo env grep head id kill ln ls mkdir mount nc printf ps rm seq sleep stat tail test touch tr true false wc yes';

const recipeLabel = 'panel-test.recipe';

export const socketPath = '/var/run/docker.sock';
export const engineUrl = `unix://${socketPath}`;
export const imageName = 'panel-test/busybox';
/** Reads STARTUP itself. */
export const entrypointImageName = 'panel-test/entrypoint';

export function testDocker(): Docker {
  return new Docker({ socketPath, host: undefined, ca: undefined, cert: undefined, key: undefined });
}

function readBusybox(): Buffer {
  const busybox = busyboxPlaces.find((path) => existsSync(path));
  if (!busybox) throw new Error('busybox-static is not installed on this machine');
  return readFileSync(busybox);
}

function rootFileSystem(): NodeJS.ReadableStream {
  const archive = pack();
  for (const name of ['bin', 'dev', 'etc', 'home', 'home/container', 'mnt', 'proc', 'sys', 'var']) {
    archive.entry({ name, type: 'directory', mode: 0o755 });
  }
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777 });
  archive.entry({ name: 'etc/passwd' }, 'root:x:0:0::/:/bin/sh\n');
  archive.entry({ name: 'bin/busybox', mode: 0o755 }, readBusybox());
  for (const name of applets.split(' ')) archive.entry({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox' });
  const entrypoint = '#!/bin/sh\necho "entrypoint for: $STARTUP"\nexec sh -c "$STARTUP"\n';
  archive.entry({ name: 'entrypoint.sh', mode: 0o755 }, entrypoint);
  archive.finalize();
  return Readable.from(archive);
}

/** An import over a tag would leave the old image. */
function recipe(): string {
  return createHash('sha256')
    .update(readFileSync(new URL(import.meta.url)))
    .update(readBusybox())
    .digest('hex');
}

async function hasImage(docker: Docker, name: string, made: string): Promise<boolean> {
  try {
    return (await docker.getImage(name).inspect()).Config.Labels?.[recipeLabel] === made;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false;
    throw error;
  }
}

async function importRoot(docker: Docker, repo: string, changes: string[]): Promise<void> {
  const made = recipe();
  if (await hasImage(docker, `${repo}:1`, made)) return;
  const labelled = [...changes, `LABEL ${recipeLabel}=${made}`];
  const stream = await docker.importImage(rootFileSystem(), { repo, tag: '1', changes: labelled });
  for await (const line of stream) {
    if (String(line).includes('"error"')) throw new Error(String(line));
  }
}

/** From the local static busybox, without a registry. */
export async function makeTestImages(docker = testDocker()): Promise<void> {
  await importRoot(docker, imageName, []);
  await importRoot(docker, entrypointImageName, ['CMD ["/bin/sh", "/entrypoint.sh"]']);
}

/** Why no engine is available, or null. */
export async function engineMissing(): Promise<string | null> {
  try {
    await testDocker().ping();
    return busyboxPlaces.some((path) => existsSync(path)) ? null : 'busybox-static is not installed';
  } catch (error) {
    return `no container engine answers at ${socketPath} (${String(error)})`;
  }
}
