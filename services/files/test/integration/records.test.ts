import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { backUp } from '../backup-work.js';
import { type RunningFiles, startTestFiles, writeAll } from '../harness.js';
import { type DirectFixture, maker, startDirectFixture, ways } from '../support/direct-fixture.js';

const recorded = [
  'backups',
  'trash_entries',
  'file_versions',
  'uploads',
  'download_links',
  'file_operations',
  'disk_usages',
];

describe('records of a server', () => {
  let fixture: DirectFixture;
  let other: RunningFiles;
  before(async () => {
    fixture = await startDirectFixture();
    other = await startTestFiles({ mongoUrl: fixture.running.mongoUrl });
  });
  after(async () => {
    await other?.stop();
    await fixture?.stop();
  });
  beforeEach(async () => fixture.renew());

  const grant = (permission: string) => fixture.running.grant(fixture.serverId, permission);

  const fill = async () => {
    const { running, directory, serverId } = fixture;
    const { files } = running;
    for (const name of ['kept', 'deleted']) await writeFile(path.join(directory, name), 'old');
    await writeAll(running, { grant: grant('file.update'), path: '/kept' }, Buffer.from('new'));
    await files.deleteFiles({ grant: grant('file.delete'), root: '', files: ['/deleted'] });
    await files.compressFiles({ grant: grant('file.archive'), root: '', files: ['kept'], name: 'a.zip' });
    const link = { grant: grant('file.read-content'), path: '/kept' };
    await files.createDownloadLink(link, { actorToken: running.tokenOf(maker) });
    const filename = `filename ${Buffer.from('arriving').toString('base64')}`;
    const headers = { 'upload-length': '9', 'upload-metadata': filename };
    expect((await ways[0]?.send(fixture, { method: 'POST', headers }))?.status).to.equal(201);
    await backUp(running, serverId);
    await running.volumes.getVolumeUsage({ serverId, fresh: true });
  };

  it('names the node in each of them', async () => {
    await fill();
    const mongo = await connectMongo(fixture.running.mongoUrl, { appName: 'test' });
    try {
      for (const name of recorded) {
        const ofServer = name === 'disk_usages' ? { _id: fixture.serverId } : { serverId: fixture.serverId };
        const found = await waitUntil(`a record in ${name}`, async () => {
          const all = await mongo
            .collection(name)
            .find(ofServer as never)
            .toArray();
          return all.length > 0 && all;
        });
        // a backup may be on several nodes
        for (const one of found) expect(String(one['nodeIds'] ?? one['nodeId']), name).to.match(/^[0-9a-f-]{36}$/);
      }
    } finally {
      await mongo.close();
    }
  });

  it('answers them by the files service of another node', async () => {
    await fill();
    const { serverId } = fixture;
    const { files, backups, volumes } = other;
    const read = grant('file.read');
    expect((await files.listTrash({ grant: read })).entries.map(({ path: of }) => of)).to.deep.equal(['/deleted']);
    expect((await files.listFileVersions({ grant: read, path: '/kept' })).versions).to.have.length(1);
    expect((await files.listUploads({ grant: read })).uploads).to.have.length(1);
    expect((await files.listFileOperations({ grant: read })).operations).to.have.length(1);
    expect((await backups.listBackups({ grant: grant('backup.read') })).backups).to.have.length(1);
    const usage = await waitUntil('the usage', async () =>
      volumes.getVolumeUsage({ serverId, recorded: true }).catch(() => null),
    );
    expect(usage.usedBytes).to.be.above(0);
  });
});
