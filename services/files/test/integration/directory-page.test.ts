import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
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

  it('reads any page of 20,000 entries with their total', async () => {
    const count = 20_000;
    for (let i = 0; i < count; i += 500) {
      await Promise.all(Array.from({ length: 500 }, async (_, j) => writeFile(at(`n${100_000 + i + j}`), '')));
    }
    const first = await list({});
    expect(first.page).to.deep.equal({ page: 1, perPage: 100, total: count });
    expect(first.truncated).to.equal(false);
    expect(first.entries.map(({ name }) => name)).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => `n${100_000 + i}`),
    );
    expect((await names({ page: 200 })).at(-1)).to.equal(`n${100_000 + count - 1}`);
    expect((await list({ search: 'n11999' })).page?.total).to.equal(10);
  });
});
