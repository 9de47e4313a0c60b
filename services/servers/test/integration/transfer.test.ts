import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import {
  Operation_Kind,
  PowerAction,
  type Server,
  Server_Status,
  TransferResult_Outcome,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { createStores } from '../../src/models/stores.js';
import { sweepReservations } from '../../src/nodes/sweep-reservations.js';
import { createAttempts } from '../support/attempts.js';
import { testSeal, userActor } from '../support/harness.js';
import { allocatedOn, createTwoNodes, requestOf, reservedOn, type TwoNodes, worldFile } from '../support/two-nodes.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { allReasons, emptyNode, fieldsOf, gameIp, reasonOf } from '../support/fixture.js';

const outcomeOf = (server: Server) => server.lastTransfer?.outcome;
const isRunning = ({ status }: Server) => status === Server_Status.RUNNING;

describe('TransferServer', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  before(async () => {
    nodes = await createTwoNodes({ egg: { startup: 'echo "listening on $SERVER_IP:$SERVER_PORT"; sh game.sh' } });
  });
  after(() => nodes.stop());
  /** Each test leaves node B unchanged. */
  const servers: string[] = [];
  const running = async () => {
    const server = await nodes.running();
    servers.push(server.id);
    return server;
  };
  const installed = async (changes = {}) => {
    const server = await nodes.fixture.installed({ nodeId: nodes.a.nodeId, allocationId: await anyOnA(), ...changes });
    servers.push(server.id);
    nodes.a.write(server.id, worldFile, `the fixture of ${server.id}`);
    return server;
  };
  const onA: string[] = [];
  const anyOnA = async () => {
    if (onA.length === 0) onA.push(...nodes.a.allocationIds.slice(10));
    const id = onA.shift();
    if (id === undefined) throw new Error('no allocation left');
    return id;
  };
  afterEach(async () => {
    const { admin } = nodes.fixture;
    for (const serverId of servers.splice(0)) {
      await admin.servers.deleteServer({ serverId, force: true });
      await waitUntil('the deletion', async () => (await reasonOf(nodes.view(serverId))) === 'SERVER_NOT_FOUND');
    }
    nodes.b.files.transfers.freeBytes = 1024 ** 4;
    nodes.a.files.usedBytes = 0;
    expect(await allocatedOn(admin, nodes.b)).to.include({ servers: 0, memoryMb: 0, diskMb: 0 });
  });

  it('moves a running server with its files and starts it again', async () => {
    const { a, b, fixture } = nodes;
    const { id, allocation } = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    const started = await nodes.transfer(id);
    expect(started.status).to.equal(Server_Status.TRANSFERRING);
    expect(started.operation?.kind).to.equal(Operation_Kind.TRANSFERRING);
    await nodes.settledOn(b, id);
    const after = await nodes.until(id, isRunning);
    expect(after.node).to.deep.include({ id: b.nodeId, name: 'other' });
    expect(b.allocationIds).to.include(after.allocation?.id);
    expect(after.allocations).to.have.length(1);
    expect(after.allocation?.id).not.to.equal(allocation?.id);
    expect(after.lastTransfer).to.deep.include({
      outcome: TransferResult_Outcome.COMPLETED,
      sourceNodeId: a.nodeId,
      targetNodeId: b.nodeId,
      error: '',
    });
    expect(b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
    expect(await b.instance(id)).to.equal('running');
    expect(await allocatedOn(fixture.admin, b)).to.include({ servers: 1, memoryMb: 128, diskMb: 100, cpuPercent: 50 });

    await watching.until(({ lines }) => lines.filter((line) => line === 'ready to play').length === 2);
    await fixture.owner.console.sendCommand({ serverId: id, command: 'still here' });
    await watching.untilLine('echo: still here');
    expect(watching.lines.filter((line) => line.startsWith('[Panel] the server'))).to.deep.equal([
      '[Panel] the server is moving to the node other',
      '[Panel] the server has moved to the node other',
    ]);
    const steps = watching.events.flatMap(({ event }) =>
      event?.$case === 'operation' ? [event.value.operation?.step ?? 'none'] : [],
    );
    const order = ['waiting', 'backups', 'stop', 'copy', 'verify', 'switch', 'none'];
    expect([...new Set(steps)].filter((step) => order.includes(step))).to.deep.equal(order);
    await watching.stop();
  });

  it('starts the game with its new address', async () => {
    const { b, fixture } = nodes;
    const { id } = await running();
    await nodes.transfer(id, { allocationId: b.allocationIds[3] });
    await nodes.settledOn(b, id);
    const { allocation } = await nodes.until(id, isRunning);
    expect(allocation).to.include({ id: b.allocationIds[3], port: 26_568 });
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine(`listening on ${gameIp}:26568`);
    await watching.stop();
  });

  it('keeps stopped servers stopped and suspended servers suspended', async () => {
    const { b, fixture } = nodes;
    const [one, other] = [await installed(), await running()];
    await fixture.admin.servers.suspendServer({ serverId: other.id });
    await nodes.until(other.id, () => true);
    await nodes.transfer(one.id);
    await transferWhenUnlocked(other.id);
    await nodes.settledOn(b, one.id);
    await nodes.settledOn(b, other.id);
    await fixture.harness.jobRuns('start-wanted-servers');
    expect(await nodes.view(one.id)).to.include({ status: Server_Status.OFFLINE });
    expect(await nodes.view(other.id)).to.include({ status: Server_Status.SUSPENDED, suspended: true });
    expect(await b.instance(one.id)).to.equal('none');
    expect(await b.instance(other.id)).to.equal('none');
    await fixture.admin.servers.unsuspendServer({ serverId: other.id });
    await fixture.admin.console.sendPowerAction({ serverId: other.id, action: PowerAction.START });
    await nodes.until(other.id, isRunning);
    expect(b.read(other.id, worldFile)).to.equal(`the fixture of ${other.id}`);
  });

  it('moves a stopped server whose installation failed, and its disk limit', async () => {
    const { fixture, b } = nodes;
    const { id } = await fixture.createServer({
      nodeId: nodes.a.nodeId,
      allocationId: await anyOnA(),
      limits: { memoryMb: 128, swapMb: 0, diskMb: 100, ioWeight: 500, cpuPercent: 50 },
      externalId: 'fails',
    });
    servers.push(id);
    await nodes.until(id, ({ operation }) => operation === undefined);
    // Simulates a failed script's remains: fewer free bytes than any floor of the node.
    nodes.a.files.transfers.freeBytes = -1;
    await fixture.admin.servers.reinstallServer({ serverId: id });
    await nodes.until(id, ({ status }) => status === Server_Status.INSTALL_FAILED);
    nodes.a.files.transfers.freeBytes = 1024 ** 4;
    await nodes.transfer(id);
    await nodes.settledOn(b, id);
    expect((await nodes.view(id)).status).to.equal(Server_Status.INSTALL_FAILED);
    await waitUntil('the limit', async () => b.files.diskLimits.get(id) === 100 * 1024 * 1024, 30_000);
  });

  it('reserves as many allocations as the server has, or the given ones', async () => {
    const { b } = nodes;
    const additional = [await anyOnA(), await anyOnA()];
    const { id } = await installed({
      additionalAllocationIds: additional,
      featureLimits: { databases: 0, backups: 0, allocations: 3 },
    });
    await nodes.transfer(id, { allocationId: b.allocationIds[2] });
    await nodes.settledOn(b, id);
    const moved = await nodes.view(id);
    expect(moved.allocation?.id).to.equal(b.allocationIds[2]);
    expect(moved.allocations).to.have.length(3);
    await nodes.transfer(id, { nodeId: nodes.a.nodeId, additional: [] });
    await nodes.settledOn(nodes.a, id);
    expect((await nodes.view(id)).allocations).to.have.length(1);
    expect(nodes.a.read(id, worldFile)).to.equal(`the fixture of ${id}`);
  });

  it('changes nothing when it is refused, for each possible reason', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await running();
    const taker = await fixture.installed({ nodeId: b.nodeId, allocationId: b.allocationIds[0] });
    servers.push(taker.id);
    const before = await nodes.view(id);
    const nobody = '99999999-9999-4999-8999-999999999999';
    const ask = async (changes = {}, target = b) =>
      fixture.admin.servers.transferServer(requestOf(id, target, changes));
    const fields: [string, object][] = [
      ['node_id', { nodeId: nobody }],
      ['node_id', { nodeId: a.nodeId }],
      ['allocation_id', { allocationId: a.allocationIds[0] }],
      ['additional_allocation_ids', { additional: [nobody] }],
      ['additional_allocation_ids', { additional: [b.allocationIds[1], b.allocationIds[1]] }],
      ['additional_allocation_ids', { allocationId: b.allocationIds[1], additional: [b.allocationIds[1]] }],
    ];
    for (const [field, changes] of fields) expect(await fieldsOf(ask(changes)), field).to.deep.equal([field]);
    expect(await reasonOf(ask({ allocationId: b.allocationIds[0] }))).to.equal('ALLOCATION_TAKEN');
    const two = { allocationId: b.allocationIds[1], additional: [b.allocationIds[2], b.allocationIds[0]] };
    expect(await reasonOf(ask(two))).to.equal('ALLOCATION_TAKEN');
    await fixture.admin.nodes.updateNode({ ...noChange, nodeId: b.nodeId, maintenanceMode: true });
    expect(await reasonOf(ask())).to.equal('NODE_MAINTENANCE');
    await fixture.admin.nodes.updateNode({ ...noChange, nodeId: b.nodeId, maintenanceMode: false, memoryMb: 200 });
    expect(await reasonOf(ask())).to.equal('NODE_CAPACITY');
    await fixture.admin.nodes.updateNode({ ...noChange, nodeId: b.nodeId, memoryMb: 1024 });
    a.files.usedBytes = 100 * 1024 ** 2;
    b.files.transfers.freeBytes = 101 * 1024 ** 2;
    expect(await reasonOf(ask())).to.equal('NODE_DISK_FULL');
    b.files.transfers.freeBytes = 1024 ** 4;
    for (const side of [a, b]) {
      side.files.filesAreDown = true;
      expect(await reasonOf(ask())).to.equal('SERVICE_UNAVAILABLE');
      side.files.filesAreDown = false;
    }
    const stranger = fixture.harness.clients(userActor(fixture.ownerId), fixture.harness.address);
    expect(await reasonOf(stranger.servers.transferServer(requestOf(id, b)))).to.equal('PERMISSION_MISSING');
    expect(await reasonOf(stranger.servers.cancelTransfer({ serverId: id }))).to.equal('PERMISSION_MISSING');
    expect(await reasonOf(fixture.admin.servers.transferServer(requestOf(nobody, b)))).to.equal('SERVER_NOT_FOUND');
    expect(await reasonOf(fixture.admin.servers.cancelTransfer({ serverId: nobody }))).to.equal('SERVER_NOT_FOUND');
    expect(await reasonOf(fixture.admin.servers.cancelTransfer({ serverId: id }))).to.equal('NO_TRANSFER');

    const after = await nodes.view(id);
    expect({ ...after, updateTime: before.updateTime }).to.deep.equal(before);
    expect(await reservedOn(fixture.admin, b, id)).to.equal(0);
    expect(await allocatedOn(fixture.admin, b)).to.include({ servers: 1, memoryMb: 128 });
    expect(b.files.transfers.asked).to.not.include(id);
  });

  it('releases its reservations when the last allocation is unavailable', async () => {
    const { fixture, b } = nodes;
    const additional = await Promise.all([anyOnA(), anyOnA(), anyOnA(), anyOnA(), anyOnA()]);
    const { id } = await installed({
      additionalAllocationIds: additional,
      featureLimits: { databases: 0, backups: 0, allocations: 9 },
    });
    expect(await reasonOf(nodes.transfer(id))).to.equal('NO_FREE_ALLOCATION');
    expect(await reservedOn(fixture.admin, b, id)).to.equal(0);
    expect(await nodes.view(id)).to.include({ status: Server_Status.OFFLINE, operation: undefined });
    expect((await nodes.view(id)).lastTransfer).to.equal(undefined);
  });

  it('starts one of 50 concurrent transfers', async () => {
    const { fixture, b } = nodes;
    const { id } = await running();
    const gate = b.files.transfers.stopAt('copy');
    const asked = b.files.transfers.asked.length;
    const results = await Promise.all(Array.from({ length: 50 }, () => reasonOf(nodes.transfer(id))));
    expect(results.filter((reason) => reason === 'none')).to.have.length(1);
    expect(new Set(results)).to.deep.equal(new Set(['none', 'SERVER_LOCKED']));
    expect(await reservedOn(fixture.admin, b, id)).to.equal(1);
    expect(await allocatedOn(fixture.admin, b)).to.include({ servers: 1, memoryMb: 128 });
    gate.open();
    await nodes.settledOn(b, id);
    expect(b.files.transfers.asked.length - asked).to.equal(1);
  });

  it('reserves the last capacity of a node for one of many servers', async () => {
    const { fixture, b } = nodes;
    const all = await Promise.all(Array.from({ length: 4 }, () => installed()));
    await fixture.admin.nodes.updateNode({ ...noChange, nodeId: b.nodeId, memoryMb: 200 });
    const results = await Promise.all(all.map(({ id }) => reasonOf(nodes.transfer(id))));
    expect(results.toSorted()).to.deep.equal(['NODE_CAPACITY', 'NODE_CAPACITY', 'NODE_CAPACITY', 'none'].toSorted());
    const winner = all[results.indexOf('none')];
    await nodes.settledOn(b, winner?.id ?? '');
    await fixture.admin.nodes.updateNode({ ...noChange, nodeId: b.nodeId, memoryMb: 1024 });
    const losers = all.filter((server) => server !== winner);
    for (const { id } of losers) expect(await reservedOn(fixture.admin, b, id)).to.equal(0);
  });

  it('locks the server for other actions and still shows it', async () => {
    const { fixture, b } = nodes;
    const { id } = await running();
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    const { admin, owner } = fixture;
    const { START, STOP, RESTART, KILL } = PowerAction;
    const reasons = await allReasons([
      ...[START, STOP, RESTART, KILL].map((action) => owner.console.sendPowerAction({ serverId: id, action })),
      owner.console.sendCommand({ serverId: id, command: 'hello' }),
      ...['file.read', 'file.update', 'backup.create'].map((permission) =>
        owner.servers.grantFileAccess({ serverId: id, permission }),
      ),
      owner.servers.reinstallServer({ serverId: id }),
      owner.servers.addServerAllocation({ serverId: id }),
      admin.servers.updateServer(UpdateServerRequest.create({ serverId: id, limits: { memoryMb: 256 } })),
      admin.servers.updateStartup({ serverId: id, environment: {}, dockerImage: undefined }),
      admin.servers.transferServer(requestOf(id, b)),
    ]);
    expect(reasons).to.deep.equal(['SERVER_LOCKED']);
    const seen = await nodes.until(id, ({ operation }) => operation?.step === 'copy');
    expect(seen.operation).to.include({ kind: Operation_Kind.TRANSFERRING, progressPercent: 5 });
    expect((await owner.console.getResources({ serverId: id })).resources?.memoryBytes).to.equal(0);
    gate.open();
    await nodes.settledOn(b, id);
  });

  it('continues when the server is suspended meanwhile and does not start it', async () => {
    const { fixture, b } = nodes;
    const { id } = await running();
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    await fixture.admin.servers.suspendServer({ serverId: id });
    gate.open();
    await nodes.settledOn(b, id);
    await fixture.harness.jobRuns('start-wanted-servers');
    expect((await nodes.view(id)).status).to.equal(Server_Status.SUSPENDED);
    expect(await b.instance(id)).to.equal('none');
  });

  it('kills a game that exceeds its stop grace', async () => {
    const { fixture, b } = nodes;
    const { id } = await running();
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    await transferWhenUnlocked(id);
    await nodes.settledOn(b, id);
    await nodes.until(id, isRunning);
  });

  for (const point of ['copy', 'commit', 'verify'] as const) {
    it(`leaves the server on its node when it is cancelled at "${point}" and ignores a late result`, async () => {
      const { fixture, a, b } = nodes;
      const { id, allocation } = await running();
      const side = point === 'verify' ? a : b;
      const gate = side.files.transfers.stopAt(point);
      await nodes.transfer(id);
      await gate.reached;
      await fixture.admin.servers.cancelTransfer({ serverId: id });
      expect(await reasonOf(fixture.admin.servers.cancelTransfer({ serverId: id }))).to.equal('NO_TRANSFER');
      gate.open();
      const back = await nodes.settledOn(a, id);
      expect(outcomeOf(back)).to.equal(TransferResult_Outcome.CANCELLED);
      const now = await nodes.until(id, isRunning);
      expect(now.allocation?.id).to.equal(allocation?.id);
      expect(a.read(id, worldFile)).to.equal(`the fixture of ${id}`);
      // Another can start.
      await transferWhenUnlocked(id);
      await nodes.settledOn(b, id);
    });
  }

  it('cancels a transfer while the game is stopping', async () => {
    const { fixture, a } = nodes;
    const { id } = await running();
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    await transferWhenUnlocked(id);
    await nodes.until(id, ({ operation }) => operation?.step === 'stop');
    await fixture.admin.servers.cancelTransfer({ serverId: id });
    await nodes.settledOn(a, id);
    await nodes.until(id, isRunning);
    expect(await a.instance(id)).to.equal('running');
  });

  it('refuses to cancel a transfer after the switch', async () => {
    const { fixture, b } = nodes;
    const { id } = await installed();
    await nodes.transfer(id);
    await nodes.settledOn(b, id);
    expect(await reasonOf(fixture.admin.servers.cancelTransfer({ serverId: id }))).to.equal('NO_TRANSFER');
    expect((await nodes.view(id)).node?.id).to.equal(b.nodeId);
  });

  it('copies changed files again and fails when files keep changing', async () => {
    const { a, b } = nodes;
    const [quiet, restless] = [await installed(), await installed()];
    const asked = new Set(b.files.transfers.asked);
    let writes = 0;
    a.files.transfers.onCopied = (serverId) => {
      writes += 1;
      if (serverId === restless.id || writes === 1) a.write(serverId, worldFile, `written later ${writes}`);
    };
    await nodes.transfer(quiet.id);
    await nodes.settledOn(b, quiet.id);
    expect(b.read(quiet.id, worldFile)).to.equal('written later 1');
    expect(b.files.transfers.asked.filter((id) => !asked.has(id))).to.have.length(2);
    await nodes.transfer(restless.id);
    const back = await nodes.settledOn(a, restless.id);
    a.files.transfers.onCopied = () => undefined;
    expect(outcomeOf(back)).to.equal(TransferResult_Outcome.FAILED);
    expect(back.lastTransfer?.error).to.contain('keep changing');
    expect(a.read(restless.id, worldFile)).to.match(/^written later/);
  });

  it('fails instead of moving nothing when the files are missing', async () => {
    const { a, b } = nodes;
    const { id } = await installed();
    renameSync(a.files.transfers.volume(id), `${a.files.transfers.volume(id)}.unmounted`);
    await nodes.transfer(id);
    const after = await nodes.until(id, ({ operation }) => operation === undefined);
    expect(after.node?.id).to.equal(a.nodeId);
    expect(outcomeOf(after)).to.equal(TransferResult_Outcome.FAILED);
    expect(after.lastTransfer?.error).to.contain('volume_not_found');
    renameSync(`${a.files.transfers.volume(id)}.unmounted`, a.files.transfers.volume(id));
    await transferWhenUnlocked(id);
    await nodes.settledOn(b, id);
    expect(b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
  });

  it('restarts a copy that the target discarded', async () => {
    const { b } = nodes;
    const { id } = await installed();
    const gate = b.files.transfers.stopAt('commit');
    await nodes.transfer(id);
    await gate.reached;
    const copies = b.files.transfers.asked.length;
    b.files.transfers.discarded.add(b.files.transfers.asked.at(-1) ?? '');
    gate.open();
    await nodes.settledOn(b, id);
    expect(b.files.transfers.asked.length).to.equal(copies + 1);
    expect(b.read(id, worldFile)).to.equal(`the fixture of ${id}`);
  });

  it('keeps its reservations from the sweep, which removes those of dead transfers', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await installed();
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      const stores = createStores(mongo, testSeal);
      const at = new Date();
      const [held] = (await stores.allocations.ofServers([id])).filter(({ nodeId }) => nodeId === b.nodeId);
      await stores.allocations.markUnconfirmed(id, held?.id ?? '', at);
      // As a suspended handler of an earlier transfer would.
      const stray = b.allocationIds.find((one) => one !== held?.id) ?? '';
      await stores.allocations.take(b.nodeId, stray, id, at);
      const bystander = await installed();
      await stores.nodes.reserve(b.nodeId, bystander.id, { memoryMb: 64, diskMb: 0, cpuPercent: 0 }, at);
      await sweepReservations(stores, createAttempts(), new Date(at.getTime() + 121_000));
      expect(await reservedOn(fixture.admin, b, id)).to.equal(1);
      expect(await allocatedOn(fixture.admin, b)).to.include({ servers: 1, memoryMb: 128 });
      expect(await reservedOn(fixture.admin, a, bystander.id)).to.equal(1);
    } finally {
      await mongo.close();
    }
    gate.open();
    await nodes.settledOn(b, id);
  });

  it('leaves the files in place between nodes that share a data root', async () => {
    const { fixture, a } = nodes;
    const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, name: `same disk ${randomUUID()}` });
    const nodeId = node?.id ?? '';
    fixture.harness.processNodes.push(nodeId);
    await fixture.admin.allocations.createAllocations({ nodeId, ip: '127.0.0.1', alias: '', ports: ['27000'] });
    const { id } = await running();
    await nodes.transfer(id, { nodeId });
    const after = await nodes.until(id, (server) => server.node?.id === nodeId && isRunning(server));
    expect(after.allocation?.port).to.equal(27_000);
    await waitUntil('the old instance to be gone', async () => (await a.instance(id)) === 'none');
    await waitUntil('the old place to be free', async () => (await reservedOn(fixture.admin, a, id)) === 0);
    expect(a.read(id, worldFile)).to.equal(`the fixture of ${id}`);
    expect(await nodes.view(id)).to.include({ status: Server_Status.RUNNING });
  });

  it('leaves nothing on either node when the server is deleted by force', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await running();
    const gate = b.files.transfers.stopAt('commit');
    await nodes.transfer(id);
    await gate.reached;
    await fixture.admin.servers.deleteServer({ serverId: id, force: true });
    await waitUntil('the deletion', async () => (await reasonOf(nodes.view(id))) === 'SERVER_NOT_FOUND');
    gate.open();
    servers.length = 0;
    for (const side of [a, b]) {
      expect(side.hasVolume(id)).to.equal(false);
      expect(await side.instance(id)).to.equal('none');
      expect(await reservedOn(fixture.admin, side, id)).to.equal(0);
    }
  });

  async function transferWhenUnlocked(id: string): Promise<void> {
    await waitUntil('the transfer to be accepted', async () => {
      const reason = await reasonOf(nodes.transfer(id));
      if (!['none', 'SERVER_LOCKED', 'TRANSFER_CLEANUP_PENDING'].includes(reason)) throw new Error(reason);
      return reason === 'none';
    });
  }
});

const noChange = {
  name: undefined,
  description: undefined,
  fqdn: undefined,
  tags: undefined,
  emulatedPlatforms: undefined,
  runtime: undefined,
  engine: undefined,
  filesAddress: undefined,
  dataRoot: undefined,
  dataRootId: undefined,
  memoryMb: undefined,
  memoryOverallocatePercent: undefined,
  diskMb: undefined,
  diskOverallocatePercent: undefined,
  cpuPercent: undefined,
  maintenanceMode: undefined,
  uploadLimitMb: undefined,
};
