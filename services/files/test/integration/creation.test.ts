import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { newVolume, reasonOf, startTestFiles, type RunningFiles } from '../harness.js';

describe('repeated creations of files', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await writeFile(path.join(directory, 'a.txt'), 'a');
  });

  const grant = () => running.grant(serverId, 'file.create');
  const copy = async (creationId?: string, to = '') =>
    running.files.copyFile({ grant: grant(), path: '/a.txt', to }, { creationId });
  const make = async (creationId?: string) =>
    running.files.createDirectory({ grant: grant(), path: '/new' }, { creationId });
  const fifty = async <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 50 }, call));

  it('copy once for fifty, and answer it to all', async () => {
    const creationId = randomUUID();
    const answers = await fifty(async () => copy(creationId));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await copy(creationId)).to.deep.equal(answers[0]);
    expect(await readdir(directory)).to.have.length(2);
  });

  it('make a directory once for fifty', async () => {
    const creationId = randomUUID();
    const answers = await fifty(async () => make(creationId));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await reasonOf(make(randomUUID()))).to.equal('FILE_EXISTS');
    expect(await reasonOf(make())).to.equal('FILE_EXISTS');
  });

  it('are done again after a failure', async () => {
    const creationId = randomUUID();
    const other = running.grant(serverId, 'file.create', { diskLimitBytes: 1 });
    const failing = running.files.copyFile({ grant: other, path: '/a.txt', to: '/b.txt' }, { creationId });
    expect(await reasonOf(failing)).to.equal('DISK_LIMIT');
    expect((await copy(creationId, '/b.txt')).path).to.equal('/b.txt');
  });

  it('still need the right to', async () => {
    const creationId = randomUUID();
    await copy(creationId);
    const reader = running.grant(serverId, 'file.read');
    const repeated = running.files.copyFile({ grant: reader, path: '/a.txt', to: '' }, { creationId });
    expect(await reasonOf(repeated)).to.equal('GRANT_INSUFFICIENT');
  });
});
