import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventLoopShare } from '@panel/kit/testing';
import type { PathRule } from '@panel/rpc';
import { expect } from 'chai';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('pages of a directory', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const at = (...names: string[]) => path.join(directory, ...names);
  const list = async (page: { page?: number; perPage?: number; sort?: string[]; search?: string }) =>
    running.files.listDirectory({
      grant: running.grant(serverId, 'file.read'),
      directory: '/',
      page: { page: 1, perPage: 100, sort: [], search: '', ...page },
    });
  const names = async (page: Parameters<typeof list>[0]) => (await list(page)).entries.map(({ name }) => name);

  it('puts directories first, and sorts by name, size and time in both directions', async () => {
    await mkdir(at('z-directory'));
    for (const [name, size, day] of [
      ['file10', 1, 3],
      ['file9', 30, 1],
      ['File1', 20, 2],
    ] as const) {
      await writeFile(at(name), 'x'.repeat(size));
      await utimes(at(name), day * 86_400, day * 86_400);
    }
    await symlink('file9', at('link'));
    expect(await names({})).to.deep.equal(['z-directory', 'File1', 'file10', 'file9', 'link']);
    expect((await names({ sort: ['name'] })).filter((name) => name.startsWith('file'))).to.deep.equal([
      'file9',
      'file10',
    ]);
    expect((await names({ sort: ['-size'], search: 'FILE' })).slice(0, 3)).to.deep.equal(['file9', 'File1', 'file10']);
    expect(await names({ sort: ['modified_at'], search: 'file' })).to.deep.equal(['file9', 'File1', 'file10']);
    const link = (await list({})).entries.find(({ name }) => name === 'link');
    expect(link).to.include({ isSymlink: true, isFile: true });
  });

  it('shows names that are no text as they are shown elsewhere, and describes them', async () => {
    await writeFile(Buffer.concat([Buffer.from(at('caf')), Buffer.from([0xe9])]), 'latin1');
    await writeFile(at('café'), 'é');
    await writeFile(at('back\\slash'), 'abc');
    const { entries } = await list({});
    expect(entries.map(({ name, sizeBytes }) => [name, sizeBytes])).to.deep.equal([
      ['back\ufffdslash', 3],
      ['café', 2],
      ['caf\ufffd', 6],
    ]);
  });

  it('refuses pages and fields that do not exist', async () => {
    for (const page of [{ page: -1 }, { perPage: 101 }, { sort: ['mimetype'] }, { search: 'x'.repeat(101) }]) {
      expect(await reasonOf(list(page)), JSON.stringify(page)).to.equal('INVALID_FIELDS');
    }
    expect(await names({ page: 7 })).to.deep.equal([]);
  });

  describe('of 20,000 entries', () => {
    const count = 20_000;
    let long: { serverId: string; directory: string };
    before(async () => {
      long = await newVolume(running);
      for (let i = 0; i < count; i += 500) {
        const names = Array.from({ length: 500 }, (_, j) => path.join(long.directory, `n${100_000 + i + j}`));
        await Promise.all(names.map(async (name) => writeFile(name, '')));
      }
    });
    beforeEach(() => ({ serverId, directory } = long));

    it('reads any page with its total', async () => {
      const first = await list({});
      expect(first.page).to.deep.equal({ page: 1, perPage: 100, total: count });
      expect(first.truncated).to.equal(false);
      expect(first.entries.map(({ name }) => name)).to.deep.equal(
        Array.from({ length: 100 }, (_, i) => `n${100_000 + i}`),
      );
      expect(first.entries[0]).to.deep.include({ isFile: true, sizeBytes: 0, mimetype: 'text/plain' });
      expect((await names({ page: 200 })).at(-1)).to.equal(`n${100_000 + count - 1}`);
      expect((await names({ page: 2, sort: ['-name'] }))[0]).to.equal(`n${100_000 + count - 101}`);
      expect((await list({ search: 'n11999' })).page?.total).to.equal(10);
    });

    it('lists 10,000 of them without pages, and says so', async () => {
      const grant = running.grant(serverId, 'file.read');
      const { entries, truncated } = await running.files.listDirectory({ grant, directory: '/', page: undefined });
      expect([entries.length, truncated]).to.deep.equal([10_000, true]);
    });

    it('neither shows nor counts what path rules hide', async () => {
      const pathRules: PathRule[][] = [[{ path: '/n100000', access: 'deny' }]];
      const grant = running.grant(serverId, 'file.read', { pathRules });
      const page = { page: 1, perPage: 100, sort: [], search: '' };
      const shown = await running.files.listDirectory({ grant, directory: '/', page });
      expect(shown.page?.total).to.equal(count - 1);
      expect(shown.entries[0]?.name).to.equal('n100001');
    });

    it('leaves the event loop to other requests', async () => {
      // starts the thread
      await list({});
      const share = await eventLoopShare(async () => {
        for (let page = 1; page <= 3; page += 1) await list({ page, sort: ['-size'] });
      });
      expect(share).to.be.below(0.4);
    });

    it('stops in the thread when its caller leaves', async () => {
      const caller = new AbortController();
      const grant = running.grant(serverId, 'file.read');
      const page = { page: 1, perPage: 100, sort: ['-size'], search: '' };
      const left = reasonOf(running.files.listDirectory({ grant, directory: '/', page }, { signal: caller.signal }));
      caller.abort();
      expect(await left).not.to.equal('none');
      expect(await names({ search: 'n100000' })).to.deep.equal(['n100000']);
    });

    it('reads one of an owner at a time, and lets short ones and those of others pass', async () => {
      const [short, other] = [await newVolume(running), await newVolume(running)];
      await writeFile(path.join(short.directory, 'short'), '');
      const totalOf = async (id: string, ownerId: string) => {
        const grant = running.grant(id, 'file.read', { ownerId });
        const page = { page: 1, perPage: 100, sort: ['-size'], search: '' };
        const listing = await running.files.listDirectory({ grant, directory: '/', page }, { timeoutMs: 120_000 });
        return listing.page?.total;
      };
      const reasons = Promise.all(Array.from({ length: 24 }, async () => reasonOf(totalOf(serverId, serverId))));
      expect(await totalOf(short.serverId, serverId)).to.equal(1);
      expect(await totalOf(other.serverId, other.serverId)).to.equal(0);
      expect([...new Set(await reasons)].toSorted()).to.deep.equal(['OPERATION_LIMIT', 'none']);
      expect((await reasons).filter((reason) => reason !== 'none').length).to.be.within(1, 23);
    });
  });
});
