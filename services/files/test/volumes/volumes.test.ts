import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { withHandle, openTrusted } from '../../src/jail/node.js';
import { openVolumes, volumeOf, type Volumes } from '../../src/volumes/volumes.js';

const serverId = '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a01';
const never = new AbortController().signal;
const game = { uid: 988, gid: 988 };

describe('volumes of an unprivileged user', () => {
  let dataRoot: string;
  let volumes: Volumes;
  const isRoot = process.getuid?.() === 0;
  before(async () => {
    dataRoot = await mkdtemp(path.join(tmpdir(), 'panel-volumes-'));
    if (isRoot) await chmod(dataRoot, 0o777);
    if (isRoot) process.setegid?.(game.gid);
    if (isRoot) process.seteuid?.(game.uid);
    const owner = isRoot ? game : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    volumes = await openVolumes(path.join(dataRoot, 'data'), owner);
  });
  after(async () => {
    if (isRoot) process.seteuid?.(0);
    if (isRoot) process.setegid?.(0);
    await rm(dataRoot, { recursive: true, force: true });
  });

  const lockedVolume = async () => {
    const { path: directory } = await volumes.create(serverId);
    await mkdir(path.join(directory, 'locked/deeper'), { recursive: true });
    await writeFile(path.join(directory, 'locked/deeper/file'), '');
    for (const name of ['locked/deeper', 'locked']) await chmod(path.join(directory, name), 0o555);
    return directory;
  };

  it('deletes volumes although the game made them read-only', async () => {
    await chmod(await lockedVolume(), 0o555);
    const remove = await volumes.detach(serverId);
    await remove?.(never);
    expect(await readdir(path.join(dataRoot, 'data/servers'))).to.deep.equal([]);
    expect(await readdir(path.join(dataRoot, 'data/trash'))).to.deep.equal([]);
  });

  it('empties volumes of directories that the game made read-only', async () => {
    await lockedVolume();
    await volumes.open(volumeOf(serverId), async (root) => {
      const remove = await volumes.discard(root, Buffer.from('locked'), never);
      await remove?.(never);
    });
    const left = await volumes.open(volumeOf(serverId), async (root) =>
      withHandle(await openTrusted(`/proc/self/fd/${root.fd}`), async (again) => readdir(`/proc/self/fd/${again.fd}`)),
    );
    expect(left).to.deep.equal([]);
  });
});
