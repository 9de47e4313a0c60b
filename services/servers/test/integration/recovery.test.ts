import { copyFileSync } from 'node:fs';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { AppError } from '@panel/kit/errors';
import { Backup_State, type Backup } from '@panel/protos/files';
import { PowerAction, type Server, Server_Status, TransferResult_Outcome } from '@panel/protos/servers';
import path from 'node:path';
import { type Clients, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';
import { allocatedOn, createTwoNodes, requestOf, reservedOn, type TwoNodes, worldFile } from '../support/two-nodes.js';
import { reasonOf } from '../support/fixture.js';

const plain = { rotate: false, databases: false };
const isRunning = ({ status }: Server) => status === Server_Status.RUNNING;

describe('recovery of a server whose node is gone', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  const processes: ServiceProcess[] = [];
  beforeEach(async () => {
    nodes = await createTwoNodes();
  });
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.kill();
    await nodes.stop();
  });

  /** A running game on node A, whose files service is unavailable, and a backup that both nodes know. */
  async function lostGame(): Promise<{ readonly id: string; readonly backup: Backup }> {
    const { a, b, fixture } = nodes;
    const featureLimits = { databases: 0, backups: 3, allocations: 1 };
    const { id } = await fixture.installed({
      nodeId: a.nodeId,
      allocationId: a.allocationIds[12] ?? '',
      featureLimits,
    });
    a.write(id, worldFile, `the fixture of ${id}`);
    await fixture.admin.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await nodes.until(id, isRunning);
    const { backup: made } = await fixture.owner.backups.createBackup({
      serverId: id,
      name: 'good',
      ignoredFiles: [],
      ...plain,
    });
    const backup = a.files.backups.records.get(made?.id ?? '');
    if (!backup) throw new Error('no backup');
    await waitUntil('the backup', () => backup.state === Backup_State.COMPLETED);
    await nodes.until(id, ({ operation }) => operation === undefined);
    b.files.backups.records.set(backup.id, backup);
    b.files.backups.onRestored = ({ serverId }) => {
      for (const name of ['game.sh', worldFile])
        copyFileSync(
          path.join(a.files.transfers.volume(serverId), name),
          path.join(b.files.transfers.volume(serverId), name),
        );
    };
    a.files.filesAreDown = true;
    return { id, backup };
  }
  const recover = async (id: string, backupId: string, clients: Clients = nodes.fixture.admin) =>
    clients.servers.transferServer({ ...requestOf(id, nodes.b), backupId });
  const arrived = async (id: string, clients: Clients = nodes.fixture.admin): Promise<Server> =>
    nodes.until(id, ({ node, operation }) => node?.id === nodes.b.nodeId && operation === undefined, clients, 60_000);

  /** The old node lost the instance and kept the files. */
  async function settled(id: string, clients: Clients = nodes.fixture.admin): Promise<void> {
    nodes.a.files.filesAreDown = false;
    await waitUntil('the end of the old instance', async () => (await nodes.a.instance(id)) === 'none', 30_000);
    await waitUntil('the old allocation', async () => (await reservedOn(clients, nodes.a, id)) === 0, 30_000);
    expect(nodes.a.hasVolume(id)).to.equal(true);
    expect(await reservedOn(clients, nodes.b, id)).to.equal(1);
    expect(await allocatedOn(clients, nodes.a)).to.include({ servers: 0, memoryMb: 0 });
  }

  it('runs on the other node with the files of the backup', async () => {
    const { id, backup } = await lostGame();
    await recover(id, backup.id);
    const after = await arrived(id);
    expect(after.lastTransfer?.outcome).to.equal(TransferResult_Outcome.COMPLETED);
    await nodes.until(id, isRunning);
    expect(await nodes.b.instance(id)).to.equal('running');
    expect(nodes.b.files.backups.restores).to.have.length(1);
    expect(nodes.b.files.backups.restores[0]).to.include({ backupId: backup.id, truncate: true });
    await settled(id);
    expect(await nodes.b.instance(id)).to.equal('running');
  });

  it('refuses a node that answers, an unfinished, unknown or unreached backup, and changes nothing', async () => {
    const { a, b } = nodes;
    const { id, backup } = await lostGame();
    a.files.filesAreDown = false;
    expect(await reasonOf(recover(id, backup.id))).to.equal('NODE_ANSWERS');
    a.files.filesAreDown = true;
    expect(await reasonOf(recover(id, '00000000-0000-4000-8000-000000000001'))).to.equal('BACKUP_NOT_FOUND');
    backup.state = Backup_State.FAILED;
    expect(await reasonOf(recover(id, backup.id))).to.equal('BACKUP_NOT_COMPLETED');
    backup.state = Backup_State.COMPLETED;
    b.files.backups.isWithinReach = false;
    expect(await reasonOf(recover(id, backup.id))).to.equal('BACKUP_OUT_OF_REACH');
    b.files.backups.isWithinReach = true;
    backup.contentBytes = 1_000;
    b.files.transfers.freeBytes = 1_000;
    expect(await reasonOf(recover(id, backup.id))).to.equal('NODE_DISK_FULL');
    expect((await nodes.view(id)).operation).to.equal(undefined);
    expect(await reservedOn(nodes.fixture.admin, b, id)).to.equal(0);
    expect(await nodes.a.instance(id)).to.equal('running');
  });

  it('drops the backup that the node was making', async () => {
    const { a, b, fixture } = nodes;
    const { id, backup } = await lostGame();
    a.files.filesAreDown = false;
    a.files.backups.isHolding = true;
    const begun = await fixture.owner.backups.createBackup({
      serverId: id,
      name: 'halfway',
      ignoredFiles: [],
      ...plain,
    });
    const halfway = a.files.backups.records.get(begun.backup?.id ?? '');
    if (!halfway) throw new Error('no backup');
    await waitUntil('the run', () => a.files.backups.runs.includes(halfway.id));
    b.files.backups.records.set(halfway.id, halfway);
    a.files.filesAreDown = true;
    a.files.backups.release();
    await recover(id, backup.id);
    await arrived(id);
    expect(halfway.state).to.equal(Backup_State.FAILED);
  });

  for (const [name, end] of [
    ['is cancelled', async (id: string) => void (await nodes.fixture.admin.servers.cancelTransfer({ serverId: id }))],
    [
      'fails',
      async () => {
        nodes.b.files.backups.restoreFailure = new AppError('failed_precondition', 'BACKUP_DAMAGED', 'it is damaged');
        nodes.b.files.backups.release();
      },
    ],
  ] as const) {
    it(`leaves nothing on the target when it ${name}`, async () => {
      const { a, b, fixture } = nodes;
      const { id, backup } = await lostGame();
      b.files.backups.isHolding = true;
      await recover(id, backup.id);
      await waitUntil('the restore', () => b.files.backups.restores.length === 1);
      expect((await nodes.view(id)).operation?.step).to.equal('restore');
      await end(id);
      const after = await nodes.until(id, ({ operation }) => operation === undefined);
      expect(after.node?.id).to.equal(a.nodeId);
      expect(after.lastTransfer?.outcome).not.to.equal(TransferResult_Outcome.COMPLETED);
      await waitUntil('the removal of the volume', () => !b.hasVolume(id), 30_000);
      await waitUntil('the allocation', async () => (await reservedOn(fixture.admin, b, id)) === 0, 30_000);
      expect(await allocatedOn(fixture.admin, b)).to.include({ servers: 0, memoryMb: 0 });
      expect(a.hasVolume(id)).to.equal(true);
      expect(await a.instance(id)).to.equal('running');
    });
  }

  for (const point of ['recover.begin', 'recover.restored', 'recover.switch', 'recover.switched']) {
    it(`completes by the next process after a crash at ${point}`, async () => {
      const { harness, ownerId } = nodes.fixture;
      const adminAt = (address: string) => harness.clients(userActor(ownerId, ['*']), address);
      const { id, backup } = await lostGame();
      await harness.stopReplica();
      const service = await ServiceProcess.start(
        harness.environment({ NODE_LEASE_TTL: '4s', FAILPOINT: `${point}:kill` }),
      );
      processes.push(service);
      await recover(id, backup.id, adminAt(service.address)).catch((error: unknown) => error);
      await service.ended();
      await harness.expireLeases();
      const admin = adminAt(await harness.startReplica({ NODE_LEASE_TTL: '4s' }));
      await arrived(id, admin);
      await nodes.until(id, isRunning, admin);
      expect(await nodes.b.instance(id)).to.equal('running');
      await settled(id, admin);
    });
  }
});
