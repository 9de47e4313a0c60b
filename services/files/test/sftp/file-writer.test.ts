import { open } from 'node:fs/promises';
import { expect } from 'chai';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../src/context.js';
import { maxGrowth } from '../../src/domain/disk-size.js';
import { UsageMeter } from '../../src/volumes/usage.js';
import { noDiskQuotas } from '../../src/quotas/disk-quotas.js';
import { FileWriter } from '../../src/sftp/file-writer.js';
import { reasonOf } from '../harness.js';
import { createTempDir, type TempDir } from '../temp-dir.js';

const megabyte = 1024 * 1024;

describe('a file that is written in place', () => {
  let directory: TempDir;
  beforeEach(async () => (directory = await createTempDir()));
  afterEach(async () => directory.remove());

  async function writerOf(limitBytes: number) {
    const usage = new UsageMeter({ maxAgeMs: 60_000, patienceMs: 1_000, measure: async () => 0 });
    const path = `${directory.root}/file`;
    const file = await open(path, 'w+');
    const context = {
      usage,
      freeSpace: { require: async () => undefined },
      versions: { save: async () => 0 },
      freezes: { changeBriefly: async (_server: string, work: () => Promise<void>) => work() },
      trash: { fitSoon: () => undefined },
      quotas: noDiskQuotas,
    } as unknown as FilesContext;
    const grant = { serverId: 'a', diskLimitBytes: limitBytes } as FileGrant;
    const reservation = await usage.reserve('a', limitBytes);
    const stats = { size: 0n, blocks: 0n };
    const writer = new FileWriter({ context, grant, file, path: '/file', reservation, stats, isNew: true });
    return { writer, usage, game: await open(path, 'r+') };
  }

  it('takes no more than the disk limit when a game adds to its end meanwhile', async () => {
    const { writer, game } = await writerOf(100 * megabyte);
    await writer.truncate(60 * megabyte);
    await writer.write(Buffer.alloc(megabyte, 1), 0);
    await game.write(Buffer.alloc(50 * megabyte, 2), 0, 50 * megabyte, 60 * megabyte);
    let written = megabyte;
    const fill = async () => {
      for (; written < 60 * megabyte; written += megabyte) {
        await writer.write(Buffer.alloc(megabyte, 1), written);
      }
    };
    expect(await reasonOf(fill())).to.equal('DISK_LIMIT');
    // only space reserved before the game's start
    expect(written).to.be.at.most(50 * megabyte);
    await game.close();
    await writer.close();
  });

  it('counts what it has grown by, whoever wrote it', async () => {
    const { writer, usage, game } = await writerOf(100 * megabyte);
    await usage.read('a');
    await writer.write(Buffer.alloc(megabyte, 1), 0);
    await game.write(Buffer.alloc(2 * megabyte, 2), 0, 2 * megabyte, megabyte);
    await writer.close();
    expect(await usage.read('a')).to.equal(3 * megabyte);
    await game.close();
  });

  const growths: readonly [string, number, { size: bigint; blocks: bigint }, number][] = [
    ['a new file', 8_192, { size: 0n, blocks: 0n }, 8_192],
    ['a dense file within its length', 4_096, { size: 8_192n, blocks: 16n }, 0],
    ['a dense file beyond its end', 12_288, { size: 8_192n, blocks: 16n }, 4_096],
    ['a hole', 8_192, { size: 8_192n, blocks: 0n }, 8_192],
    ['a hole in front of what others have added', 8_192, { size: 16_384n, blocks: 16n }, 8_192],
    ['a file that has more blocks than bytes', 8_192, { size: 4_096n, blocks: 64n }, 4_096],
  ];
  for (const [what, length, stats, growth] of growths) {
    it(`grows by at most ${growth} bytes where ${what} is written up to ${length}`, () => {
      expect(maxGrowth(length, stats)).to.equal(growth);
    });
  }
});
