import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause } from '@panel/kit/async';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { createResticProgram, type ResticConfig, type ResticProgram } from '../../../src/backups/restic/run-restic.js';
import { createResticStorage } from '../../../src/backups/restic/storage.js';
import { reasonOf } from '../../harness.js';
import { ResticFixture } from './fixture.js';

/** Between two lines of restic. */
const statusMs = 20;

const never = new AbortController().signal;
const ignoreShare = () => undefined;

describe('a restic repository on a disk', () => {
  const fixture = new ResticFixture();
  const { serverId, store } = fixture;
  let volume: string;
  let repository: string;
  let config: ResticConfig;

  before(async function () {
    needPrograms(this, 'restic');
    await fixture.make();
  });
  after(async () => fixture.remove());
  beforeEach(async () => ({ volume, repository, config } = await fixture.copy()));
  afterEach(async () => fixture.removeCopy());

  async function bytesIn(data: string): Promise<number> {
    const packs = await readdir(data, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      packs.filter((one) => one.isFile()).map(async (one) => (await stat(path.join(one.parentPath, one.name))).size),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** As left by a process killed during a pack. */
  async function writeHalf(data: string): Promise<void> {
    await mkdir(path.join(data, 'ab'), { recursive: true });
    await writeFile(path.join(data, 'ab', `${'ab'.repeat(32)}-tmp-855681792`), randomBytes(1_000_000));
  }

  it('ends with DISK_FULL, and keeps nothing, where there is no more room', async function () {
    const disk = await fixture.mountSmallDisk(this, 24);
    const data = path.join(disk, serverId, 'data');
    await writeFile(path.join(volume, 'world/c'), randomBytes(40_000_000));
    expect(await reasonOf(store(createResticStorage({ ...config, repository: disk })))).to.equal('DISK_FULL');
    expect(await bytesIn(data)).to.be.below(1_000_000);
  });

  it('ends with DISK_FULL when restic waits for ever for a pack that did not fit', async function () {
    const disk = await fixture.mountSmallDisk(this, 24);
    const data = path.join(disk, serverId, 'data');
    const restic = createResticProgram({ ...config, repository: disk });
    let ended = false;
    const program: ResticProgram = {
      ...restic,
      lines: async function* (_serverId, args) {
        if (args[0] !== 'backup') throw new Error('only a backup was expected');
        await writeHalf(data);
        try {
          for (;;) {
            yield JSON.stringify({ message_type: 'status', files_done: 1, bytes_done: 1 });
            await pause(statusMs);
          }
        } finally {
          ended = true;
        }
      },
    };
    const options = { restic: program, stalledMs: 200 };
    expect(await reasonOf(store(createResticStorage({ ...config, repository: disk }, options)))).to.equal('DISK_FULL');
    expect(ended).to.equal(true);
    expect(await bytesIn(data)).to.be.below(1_000_000);
  });

  it('goes on without progress where there is room', async () => {
    const restic = createResticProgram(config);
    const program: ResticProgram = {
      ...restic,
      lines: async function* (...call) {
        for (let left = 20; call[1][0] === 'backup' && left > 0; left -= 1) {
          yield JSON.stringify({ message_type: 'status', files_done: 0, bytes_done: 0 });
          await pause(statusMs);
        }
        yield* restic.lines(...call);
      },
    };
    expect(await store(createResticStorage(config, { restic: program, stalledMs: 100 }))).to.have.property('checksum');
  });

  it('frees what it can on a full disk when a backup is deleted', async function () {
    const disk = await fixture.mountSmallDisk(this, 200);
    const data = path.join(disk, serverId, 'data');
    const storage = createResticStorage({ ...config, repository: disk });
    const files = Array.from({ length: 60 }, (_, index) => path.join(volume, `world/half-${index}`));
    for (const file of files) await writeFile(file, randomBytes(500_000));
    const whole = path.join(volume, 'world/whole');
    await writeFile(whole, randomBytes(40_000_000));
    const old = await store(storage);
    for (const file of files.filter((_, index) => index % 2 === 0)) await rm(file);
    await rm(whole);
    const retained = await store(storage);
    const usedBytes = await bytesIn(disk);
    execFileSync('mount', ['-o', `remount,size=${usedBytes + 3_000_000}`, disk]);
    await storage.delete(old);
    expect(await bytesIn(data)).to.be.below(usedBytes - 20_000_000);
    await storage.verify(retained, never, ignoreShare);
    // with the free space the rest is repacked
    execFileSync('mount', ['-o', 'remount,size=200m', disk]);
    await storage.delete(await store(storage));
    expect(await bytesIn(data)).to.be.below(18_000_000);
    await storage.verify(retained, never, ignoreShare);
  });

  it('removes what a killed process has left half written with the next backup', async () => {
    const data = path.join(repository, 'data');
    const before = await bytesIn(data);
    await writeHalf(data);
    await store(createResticStorage(config));
    expect(await bytesIn(data)).to.be.within(before, before + 100_000);
  });
});
