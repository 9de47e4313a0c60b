import { waitUntil } from '@panel/kit/testing';
import { Backup_State, Backup_Storage } from '@panel/protos/files';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { reasonOf } from '../support/fixture.js';
import { createTwoNodes, type TwoNodes } from '../support/two-nodes.js';

describe('backups on the disk of another node than that of their server', function () {
  this.timeout(120_000);
  let nodes: TwoNodes;
  before(async () => {
    nodes = await createTwoNodes();
    const { nodeId, files } = nodes.a;
    await waitUntil('the data root of A', async () => {
      const { node } = await nodes.fixture.admin.nodes.getNode({ nodeId });
      return node?.dataRootId === files.transfers.dataRootId;
    });
  });
  after(async () => nodes.stop());
  afterEach(() => {
    nodes.a.files.filesAreDown = false;
  });

  /** A server on node B, with a backup that is on the disk of node A. */
  const adopted = async () => {
    const { a, b, fixture } = nodes;
    const place = { nodeId: b.nodeId, allocationId: b.allocationIds[used++] ?? '' };
    const { id: serverId } = await fixture.installed({ ...place, skipScripts: true });
    const backupId = randomUUID();
    const backup = {
      id: backupId,
      serverId,
      name: 'good',
      state: Backup_State.COMPLETED,
      isLocked: false,
      storage: Backup_Storage.NODE,
      sizeBytes: 0,
      contentBytes: 0,
      entries: 0,
      checksum: '',
      ignoredFiles: [],
      errorReason: '',
      errorMessage: '',
      createTime: new Date(),
      completeTime: new Date(),
      restoreTime: undefined,
      restoreError: '',
      warning: '',
      databases: [],
    };
    for (const { files } of [a, b]) files.backups.records.set(backupId, backup);
    Object.assign(b.files.backups, { isWithinReach: false, dataRootIds: [a.files.transfers.dataRootId] });
    return { serverId, backupId };
  };
  let used = 0;

  it('names the files service of that node for a download and for a list of files', async () => {
    const { a, fixture } = nodes;
    const ids = await adopted();
    expect((await fixture.owner.backups.grantBackupDownload(ids)).filesAddress).to.equal(a.files.address);
    const access = { ...ids, permission: 'backup.read' };
    expect((await fixture.owner.servers.grantFileAccess(access)).filesAddress).to.equal(a.files.address);
  });

  it('copies the backup to the node of the server before a restore', async () => {
    const { a, b, fixture } = nodes;
    const ids = await adopted();
    await fixture.owner.backups.restoreBackup({ ...ids, truncate: true, paths: [], databases: false });
    await nodes.until(ids.serverId, ({ operation }) => operation === undefined);
    expect(b.files.backups.copies).to.have.lengthOf(1);
    expect(b.files.backups.copies[0]).to.include({ ...ids, sourceAddress: a.files.address });
    expect(b.files.backups.restores.map(({ backupId }) => backupId)).to.deep.equal([ids.backupId]);
  });

  it('answers SERVICE_UNAVAILABLE while that node is away and BACKUP_OUT_OF_REACH without it', async () => {
    const { a, b, fixture } = nodes;
    const ids = await adopted();
    const restored = b.files.backups.restores.length;
    const download = async () => reasonOf(fixture.owner.backups.grantBackupDownload(ids));
    const restore = async () =>
      reasonOf(fixture.owner.backups.restoreBackup({ ...ids, truncate: true, paths: [], databases: false }));
    a.files.filesAreDown = true;
    expect([await download(), await restore()]).to.deep.equal(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
    a.files.filesAreDown = false;
    b.files.backups.dataRootIds = [randomUUID()];
    expect([await download(), await restore()]).to.deep.equal(['BACKUP_OUT_OF_REACH', 'BACKUP_OUT_OF_REACH']);
    expect(b.files.backups.restores).to.have.lengthOf(restored);
  });
});
