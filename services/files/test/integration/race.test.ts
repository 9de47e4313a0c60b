import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { newVolume, readAll, reasonOf, startTestFiles, writeAll, type RunningFiles } from '../harness.js';
import { startSymlinkRace } from '../jail/symlink-race.js';

const turns = 10_000;
const outsideSecret = 'a secret of the host';

describe('directory that alternates with a link to the outside 10,000 times', () => {
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

  it('exposes no outside content through a directory that alternates with a link', async function () {
    this.timeout(180_000);
    const { serverId, directory } = await newVolume(running);
    await mkdir(path.join(directory, 'x'));
    await writeFile(path.join(directory, 'x/file'), 'inside');
    const flipping = await startSymlinkRace(directory, outside, turns);
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
      const { entries } = await running.files.listDirectory({ grant, directory: '/x', page: undefined });
      return `list ${entries.map(({ name }) => name).join()}`;
    };
    const read = async () => {
      const bytes = await readAll(running, { grant: running.grant(serverId, 'file.read-content'), path: '/x/file' });
      return `read ${bytes.toString()}`;
    };
    const both = ['list file', 'read inside', 'LINK_REFUSED'];
    for (let i = 0; i < 20_000 && (i < 150 || !both.every((what) => seen.has(what))); i += 1) {
      await Promise.all([attempt(list), attempt(read), attempt(list), attempt(read)]);
    }
    expect(await flipping.stop()).to.be.at.least(turns);
    const allowed = ['list file', 'read inside', 'LINK_REFUSED', 'FILE_NOT_FOUND'];
    expect([...seen.keys()].filter((what) => !allowed.includes(what))).to.deep.equal([]);
    // both race outcomes occurred
    expect([...seen.keys()]).to.include.members(both);
    expect(await readFile(path.join(outside, 'file'), 'utf8')).to.equal(outsideSecret);
  });

  it('creates, changes, moves and deletes no outside entry through a directory that alternates with a link', async function () {
    this.timeout(180_000);
    const { serverId, directory } = await newVolume(running);
    await mkdir(path.join(directory, 'x'));
    await writeFile(path.join(directory, 'a'), 'inside');
    const flipping = await startSymlinkRace(directory, outside, turns);
    const sign = (permission: string) => running.grant(serverId, permission);
    const verbs: Record<string, (i: number) => Promise<unknown>> = {
      write: async (i) =>
        writeAll(running, { grant: sign('file.update'), path: `/x/${i % 2 ? 'file' : `new${i}`}` }, 'w'),
      make: async (i) => running.files.createDirectory({ grant: sign('file.create'), path: `/x/d${i}/deep` }),
      copyIn: async (i) => running.files.copyFile({ grant: sign('file.create'), path: '/a', to: `/x/c${i}` }),
      copyOut: async () => running.files.copyFile({ grant: sign('file.create'), path: '/x/only-outside', to: '' }),
      moveIn: async (i) => {
        await writeFile(path.join(directory, `m${i}`), '');
        return running.files.renameFiles({
          grant: sign('file.update'),
          root: '',
          files: [{ from: `m${i}`, to: `x/m${i}` }],
        });
      },
      moveOut: async (i) =>
        running.files.renameFiles({
          grant: sign('file.update'),
          root: '/x',
          files: [{ from: 'only-outside', to: `o${i}` }],
        }),
      remove: async () => running.files.deleteFiles({ grant: sign('file.delete'), root: '/x', files: ['file'] }),
      removeOutside: async () =>
        running.files.deleteFiles({ grant: sign('file.delete'), root: '', files: ['x/only-outside'] }),
    };
    const outcomes = new Map<string, number>();
    const both = ['write', 'make', 'copyIn', 'moveIn'].flatMap((name) => [`${name} none`, `${name} LINK_REFUSED`]);
    for (let i = 0; i < 10_000 && (i < 75 || !both.every((what) => outcomes.has(what))); i += 1) {
      await Promise.all(
        Object.entries(verbs).map(async ([name, verb]) => {
          const reason = await reasonOf(verb(i));
          outcomes.set(`${name} ${reason}`, (outcomes.get(`${name} ${reason}`) ?? 0) + 1);
        }),
      );
    }
    expect(await flipping.stop()).to.be.at.least(turns);
    expect(await readdir(outside)).to.have.members(['file', 'only-outside']);
    expect(await readFile(path.join(outside, 'file'), 'utf8')).to.equal(outsideSecret);
    expect(await readFile(path.join(outside, 'only-outside'), 'utf8')).to.equal(outsideSecret);
    // operations that can succeed met both race outcomes, without outside files
    expect([...outcomes.keys()]).to.include.members(both);
    for (const name of ['copyOut', 'moveOut', 'removeOutside']) expect(outcomes.has(`${name} none`)).to.equal(false);
  });

  it('deletes no outside entry with a volume that alternates with a link', async function () {
    this.timeout(180_000);
    for (let round = 0; round < 5; round += 1) {
      const { serverId, directory } = await newVolume(running);
      await mkdir(path.join(directory, 'x'));
      for (const name of ['file', 'only-outside']) await writeFile(path.join(directory, 'x', name), 'inside');
      const flipping = await startSymlinkRace(directory, outside, 0);
      await running.volumes.deleteVolume({ serverId });
      await flipping.stop();
      expect(await readdir(outside)).to.deep.equal(['file', 'only-outside']);
    }
  });
});
