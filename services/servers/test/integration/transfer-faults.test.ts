import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { byDay } from '@panel/testing';
import { expect } from 'chai';
import { PowerAction, type Server, Server_Status, TransferResult_Outcome } from '@panel/protos/servers';
import { createStores } from '../../src/models/stores.js';
import { type Clients, userActor, testSeal } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';
import { allocatedOn, createTwoNodes, requestOf, reservedOn, type TwoNodes, worldFile } from '../support/two-nodes.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { reasonOf } from '../support/fixture.js';

const leases = { NODE_LEASE_TTL: '4s' };

const isRunning = ({ status }: Server) => status === Server_Status.RUNNING;

describe('transfer after a crash', function () {
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

  /** Replaces the local replica by a process. */
  const takeOut = async (extra: Record<string, string> = {}): Promise<{ service: ServiceProcess; admin: Clients }> => {
    const { harness } = nodes.fixture;
    await harness.stopReplica();
    const service = await ServiceProcess.start(harness.environment({ ...leases, ...extra }));
    processes.push(service);
    return { service, admin: adminAt(service.address) };
  };
  const adminAt = (address: string) => nodes.fixture.harness.clients(userActor(nodes.fixture.ownerId, ['*']), address);
  /** The next replica, in this process. */
  const takeOver = async () => adminAt(await nodes.fixture.harness.startReplica(leases));
  const died = async (point: string) => {
    const { id } = await nodes.running();
    const first = await takeOut({ FAILPOINT: `${point}:kill` });
    await first.admin.servers.transferServer(requestOf(id, nodes.b)).catch((error: unknown) => error);
    await first.service.ended();
    await nodes.fixture.harness.expireLeases();
    return { id, admin: await takeOver() };
  };

  const completed = [
    'transfer.recorded',
    'transfer.backups',
    'transfer.backups_moved',
    'transfer.stop',
    'transfer.stopped',
    'transfer.frozen',
    'transfer.copy',
    'transfer.copied',
    'transfer.verify',
    'transfer.verified',
    'transfer.switch',
    'transfer.switched',
    'transfer.released',
    'transfer.instance_removed',
    'transfer.cleaned',
  ];
  for (const point of byDay(completed, 6)) {
    it(`completes a transfer by the next process after a crash at ${point}`, async () => {
      const { id, admin } = await died(point);
      const after = await nodes.settledOn(nodes.b, id, admin);
      expect(after.lastTransfer?.outcome).to.equal(TransferResult_Outcome.COMPLETED);
      await nodes.until(id, isRunning, admin);
      expect(nodes.b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
      expect(await nodes.b.instance(id)).to.equal('running');
      expect(await reservedOn(admin, nodes.b, id)).to.equal(1);
      expect(await allocatedOn(admin, nodes.b)).to.include({ servers: 1, memoryMb: 128 });
      expect(await allocatedOn(admin, nodes.a)).to.include({ servers: 0, memoryMb: 0 });
    });
  }

  for (const point of ['transfer.created', 'transfer.taken', 'transfer.reserved']) {
    it(`rolls a transfer back without remains after a crash at ${point}`, async () => {
      const { id, admin } = await died(point);
      const after = await nodes.until(id, ({ operation }) => operation === undefined, admin);
      expect(after.lastTransfer).to.include({ outcome: TransferResult_Outcome.FAILED });
      expect(after.node?.id).to.equal(nodes.a.nodeId);
      await nodes.until(id, isRunning, admin);
      expect(await nodes.a.instance(id)).to.equal('running');
      await nodes.settledOn(nodes.a, id, admin);
      expect(await allocatedOn(admin, nodes.b)).to.include({ servers: 0, memoryMb: 0 });
      // It can restart with the same allocation.
      const again = { allocationId: nodes.b.allocationIds[0] };
      await waitUntil('the next transfer', async () => (await reasonOf(nodes.transfer(id, again, admin))) === 'none');
      await nodes.settledOn(nodes.b, id, admin);
    });
  }

  it('resumes the same copy after its worker died midway', async () => {
    const { id } = await nodes.running();
    const first = await takeOut();
    const gate = nodes.b.files.transfers.stopAt('copy');
    await nodes.transfer(id, {}, first.admin);
    await gate.reached;
    await first.service.kill();
    const admin = await takeOver();
    gate.open();
    await nodes.settledOn(nodes.b, id, admin);
    await nodes.until(id, isRunning, admin);
    expect(new Set(nodes.b.files.transfers.asked).size).to.equal(1);
    expect(nodes.b.files.transfers.asked.length).to.be.greaterThan(1);
  });

  it('waits for an unavailable files service on either side', async () => {
    const { fixture, a, b } = nodes;
    for (const [at, from] of [a, b].entries()) {
      const { id } = await fixture.installed({ nodeId: a.nodeId, allocationId: a.allocationIds[4 + at] });
      const gate = b.files.transfers.stopAt('copy');
      await nodes.transfer(id);
      await gate.reached;
      from.files.filesAreDown = true;
      gate.open();
      await waitUntil('its second refusal', () => from.files.refusals > 1);
      expect((await nodes.view(id)).status).to.equal(Server_Status.TRANSFERRING);
      from.files.filesAreDown = false;
      await nodes.settledOn(b, id);
    }
  });
});

describe('transfer to a node that fails permanently', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  beforeEach(async () => {
    nodes = await createTwoNodes({ environment: { TRANSFER_TIMEOUT: '2s' } });
  });
  afterEach(() => nodes.stop());

  it('fails with a reason, keeps the server on its node and cleans the target when it returns', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await nodes.running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    b.files.filesAreDown = true;
    gate.open();
    const back = await nodes.until(id, ({ operation }) => operation === undefined);
    expect(back.lastTransfer).to.include({ outcome: TransferResult_Outcome.FAILED });
    expect(back.lastTransfer?.error).to.match(/^it got no further for too long: /);
    await nodes.until(id, isRunning);
    expect(await a.instance(id)).to.equal('running');
    await watching.until(({ lines }) => lines.some((line) => line.startsWith('[Panel] the server stays where it is')));
    await watching.stop();
    // Reservations need no node: the next inspection frees them.
    await waitUntil('its place to be free', async () => (await reservedOn(fixture.admin, b, id)) === 0);
    await waitUntil('the room to be free', async () => (await allocatedOn(fixture.admin, b))?.servers === 0);
    expect(await reasonOf(nodes.transfer(id))).to.equal('TRANSFER_CLEANUP_PENDING');
    b.files.filesAreDown = false;
    await waitUntil('the pendingCleanups to be gone', async () => (await reasonOf(nodes.transfer(id))) === 'none');
    await nodes.settledOn(b, id);
  });

  it('cancels a transfer to a node that fails permanently immediately', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await nodes.running();
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    b.files.filesAreDown = true;
    const asked = performance.now();
    await fixture.admin.servers.cancelTransfer({ serverId: id });
    await nodes.until(id, isRunning);
    expect(performance.now() - asked).to.be.below(8_000);
    expect(await a.instance(id)).to.equal('running');
    gate.open();
    await fixture.admin.servers.deleteServer({ serverId: id, force: true });
    await waitUntil('the deletion', async () => (await reasonOf(nodes.view(id))) === 'SERVER_NOT_FOUND');
  });

  it('does not keep a moved server from starting when its old node fails', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await nodes.running();
    const gate = a.files.transfers.stopAt('verify');
    await nodes.transfer(id);
    await gate.reached;
    a.files.transfers.onVerified = () => (a.files.filesAreDown = true);
    gate.open();
    await nodes.until(id, (server) => server.node?.id === b.nodeId && isRunning(server));
    expect(b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
    expect(a.hasVolume(id)).to.equal(true);
    await waitUntil('its place to be free', async () => (await reservedOn(fixture.admin, a, id)) === 0);
    await waitUntil('the room to be free', async () => (await allocatedOn(fixture.admin, a))?.servers === 0);
    expect(await reasonOf(nodes.transfer(id, { nodeId: a.nodeId }))).to.equal('TRANSFER_CLEANUP_PENDING');
    await fixture.admin.console.sendPowerAction({ serverId: id, action: PowerAction.RESTART });
    await nodes.until(id, isRunning);
    a.files.filesAreDown = false;
    await nodes.settledOn(b, id);
    expect(b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
  });
});

describe('transfer between nodes of different replicas', function () {
  this.timeout(180_000);

  it('executes a transfer by one replica and continues it at the other, with its console readers', async () => {
    const nodes = await createTwoNodes({ environment: leases });
    try {
      const { fixture, a, b } = nodes;
      const address = await fixture.harness.startReplica(leases);
      const other = fixture.harness.clients(userActor(fixture.ownerId, ['*']), address);
      await shared(nodes);
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        const { id } =
          from === a
            ? await nodes.running()
            : await fixture.installed({ nodeId: b.nodeId, allocationId: b.allocationIds[4], startOnCompletion: true });
        await nodes.until(id, isRunning);
        from.write(id, worldFile, `the fixture of ${id}`);
        const watching = new ConsoleWatcher(other, id);
        await watching.untilLine('ready to play');
        await nodes.transfer(id, { nodeId: to.nodeId }, other);
        await nodes.settledOn(to, id, other);
        await nodes.until(id, isRunning);
        // A gateway reconnects after a wrong replica.
        await watching.until(({ isEnded }) => isEnded);
        expect(watching.endReason).to.equal('REASON_RESTARTING');
        const again = await ConsoleWatcher.whenTaken(other, id);
        await again.untilLine('ready to play');
        await other.console.sendCommand({ serverId: id, command: 'hello there' });
        await again.untilLine('echo: hello there');
        await again.stop();
        expect(to.read(id, worldFile)).to.equal(`the fixture of ${id}`);
      }
    } finally {
      await nodes.stop();
    }
  });

  /** Until each replica has one node. */
  async function shared({ fixture, a, b }: TwoNodes): Promise<void> {
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      const { leases } = createStores(mongo, testSeal);
      await waitUntil('the nodes to be shared', async () => {
        const [one, two] = await Promise.all([leases.holder(a.nodeId), leases.holder(b.nodeId)]);
        return one && two && one.address !== two.address;
      });
    } finally {
      await mongo.close();
    }
  }
});
