import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseCondition } from '@panel/kit/mongo';
import { expect } from 'chai';
import { createConnection, type Connection } from 'mongoose';
import { silent } from '../../src/log.js';
import { databaseUrl } from '../../src/mongo/database-url.js';
import { startEmbedded, type EmbeddedMongo } from '../../src/mongo/embedded.js';
import { waitUntil } from '@panel/kit/testing';

const mb = 1024 * 1024;
const minFreeDiskMb = 64;

describe('embedded engine on a full disk', function () {
  this.timeout(180_000);
  let disk = '';
  let mongo: EmbeddedMongo | undefined;
  let connection: Connection;
  const ballast = () => path.join(disk, 'ballast');

  beforeEach(async function () {
    if (process.getuid?.() !== 0) this.skip();
    disk = mkdtempSync(path.join(tmpdir(), 'panel-full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=700', 'panel-test', disk]);
    mongo = await startEmbedded({ dataDir: path.join(disk, 'mongo'), log: silent, minFreeDiskMb });
    connection = await createConnection(databaseUrl(mongo.url, 'one')).asPromise();
  });
  afterEach(async () => {
    await connection?.close();
    await mongo?.process.stop(8_000);
    if (disk === '') return;
    execFileSync('umount', ['-l', disk]);
    rmdirSync(disk);
    disk = '';
  });

  /** Fills the disk except for this much. */
  const fillUpTo = (freeMb: number) => {
    for (const size of [mb, 4096]) {
      for (;;) {
        const { bavail, bsize } = statfsSync(disk);
        if (bavail * bsize - size < freeMb * mb) break;
        writeFileSync(ballast(), Buffer.alloc(size), { flag: 'a' });
      }
    }
  };
  const rows = () => connection.collection<{ _id: number; text?: string }>('rows');
  const insert = async (id: number) => {
    try {
      await rows().insertOne({ _id: id });
      return 'stored';
    } catch (error) {
      return databaseCondition(error)?.reason ?? String(error);
    }
  };
  const found = async () => (await rows().find().toArray()).map(({ _id }) => _id);

  it('refuses writes with a reason below the floor, answers reads, and accepts writes at once when there is room', async () => {
    expect(await insert(1)).to.equal('stored');
    fillUpTo(minFreeDiskMb - 8);
    await waitUntil('the disk to be full', async () => (await insert(2)) === 'DATABASE_FULL');
    expect(await found()).to.deep.equal([1]);
    rmSync(ballast());
    await waitUntil('the first insert with room', async () => (await insert(3)) === 'stored');
    expect(await found()).to.deep.equal([1, 3]);
  });

  it('starts again from its reserve after a death on a disk without any room', async () => {
    for (const id of [1, 3]) expect(await insert(id)).to.equal('stored');
    fillUpTo(0);
    expect(await insert(4)).to.equal('DATABASE_FULL');
    const pid = mongo?.process.pid();
    await mongo?.process.kill('SIGKILL');
    await mongo?.process.whenReady();
    expect(mongo?.process.pid()).not.to.equal(pid);
    await waitUntil('both documents', async () => (await found().catch(() => [])).length === 2);
    expect(await insert(5)).to.equal('DATABASE_FULL');
    rmSync(ballast());
    const freedAt = performance.now();
    await waitUntil('an insert with room again', async () => (await insert(6)) === 'stored');
    expect(performance.now() - freedAt).to.be.below(10_000);
    expect(await found()).to.deep.equal([1, 3, 6]);
  });
});
