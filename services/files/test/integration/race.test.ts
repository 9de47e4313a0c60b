import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAppError } from '@panel/kit';
import { expect } from 'chai';
import { newVolume, readAll, startTestFiles, type RunningFiles } from '../harness.js';
import { startFlipping } from '../jail/flip.js';

const turns = 10_000;
const outsideSecret = 'a secret of the host';

describe('a directory that turns into a link outside and back, 10,000 times', () => {
  let running: RunningFiles;
  let outside: string;
  before(async () => {
    running = await startTestFiles();
    outside = await mkdtemp(path.join(tmpdir(), 'panel-outside-'));
    await writeFile(path.join(outside, 'file'), outsideSecret);
    await writeFile(path.join(outside, 'only-outside'), outsideSecret);
  });
  after(async () => {
    await running.stop();
    await rm(outside, { recursive: true, force: true });
  });

  it('never shows or gives what is outside', async function () {
    this.timeout(120_000);
    const { serverId, directory } = await newVolume(running);
    await mkdir(path.join(directory, 'x'));
    await writeFile(path.join(directory, 'x/file'), 'inside');
    const flipping = await startFlipping(directory, outside, turns);
    const seen = new Map<string, number>();
    const count = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1);
    const attempt = async (work: () => Promise<string>) => {
      try {
        count(await work());
      } catch (error) {
        if (!isAppError(error)) throw error;
        count(error.reason);
      }
    };
    const list = async () => {
      const grant = running.grant(serverId, 'file.read');
      const { entries } = await running.files.listDirectory({ grant, directory: '/x' });
      return `list ${entries.map(({ name }) => name).join()}`;
    };
    const read = async () => {
      const bytes = await readAll(running, { grant: running.grant(serverId, 'file.read-content'), path: '/x/file' });
      return `read ${bytes.toString()}`;
    };
    for (let i = 0; i < 400; i += 1) {
      await Promise.all([attempt(list), attempt(read), attempt(list), attempt(read)]);
    }
    expect(await flipping.stop()).to.be.at.least(turns);
    const allowed = ['list file', 'read inside', 'LINK_REFUSED', 'FILE_NOT_FOUND'];
    expect([...seen.keys()].filter((what) => !allowed.includes(what))).to.deep.equal([]);
    // both sides of the race were really met
    expect([...seen.keys()]).to.include.members(['list file', 'read inside', 'LINK_REFUSED']);
    expect(await readFile(path.join(outside, 'file'), 'utf8')).to.equal(outsideSecret);
  });

  it('never costs anything outside while the volume is deleted', async function () {
    this.timeout(120_000);
    for (let round = 0; round < 10; round += 1) {
      const { serverId, directory } = await newVolume(running);
      await mkdir(path.join(directory, 'x'));
      for (const name of ['file', 'only-outside']) await writeFile(path.join(directory, 'x', name), 'inside');
      const flipping = await startFlipping(directory, outside, 0);
      await running.volumes.deleteVolume({ serverId });
      await flipping.stop();
      expect(await readdir(outside)).to.deep.equal(['file', 'only-outside']);
    }
  });
});
