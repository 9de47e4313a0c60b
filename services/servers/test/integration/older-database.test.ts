import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { type CreateServerRequest, Node_Status, PowerAction, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { reasonOf, waitForServer } from '../support/fixture.js';
import {
  createTwoNodes,
  type NodeSide,
  requestOf,
  reservedOn,
  type TwoNodes,
  worldFile,
} from '../support/two-nodes.js';

describe('a database that is older than the files of a node', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  before(async () => {
    nodes = await createTwoNodes();
    for (const side of [nodes.a, nodes.b]) await whenNode(side, Node_Status.ONLINE);
  });
  after(() => nodes.stop());

  const nodeOf = async ({ nodeId }: NodeSide) => {
    const { node } = await nodes.fixture.admin.nodes.getNode({ nodeId });
    if (!node) throw new Error('no node');
    return node;
  };
  const whenNode = async (side: NodeSide, status: Node_Status) =>
    waitUntil(`the node to be ${status}`, async () => (await nodeOf(side)).status === status, 60_000);
  const reportOf = async ({ nodeId }: NodeSide) => nodes.fixture.admin.nodes.getNodeReport({ nodeId });
  const transfersOf = ({ files }: NodeSide) => files.transfers;
  const volumesOf = (side: NodeSide) => path.dirname(transfersOf(side).volume(randomUUID()));
  /** A stopped server on node A. */
  const stopped = async () => {
    const server = await nodes.fixture.installed({
      nodeId: nodes.a.nodeId,
      allocationId: await freeAllocation(nodes.a),
    });
    nodes.a.write(server.id, worldFile, `the world of ${server.id}`);
    return server;
  };
  const freeAllocation = async ({ nodeId }: NodeSide) => {
    const page = { page: 1, perPage: 100, sort: [], search: '' };
    const { allocations } = await nodes.fixture.admin.allocations.listAllocations({ nodeId, page });
    const free = allocations.find(({ serverId }) => serverId === '');
    if (!free) throw new Error('no free allocation');
    return free.id;
  };
  /** Files that a newer database knew. */
  const strayFiles = (side: NodeSide) => {
    const id = randomUUID();
    mkdirSync(transfersOf(side).volume(id), { recursive: true });
    side.write(id, worldFile, `the world of ${id}`);
    return id;
  };
  const adoption = async (adoptedId: string, changes: Partial<CreateServerRequest> = {}) => ({
    ...nodes.fixture.request({ nodeId: nodes.a.nodeId, allocationId: await freeAllocation(nodes.a), ...changes }),
    adoptedId,
  });
  const remove = async (id: string) => {
    await nodes.fixture.admin.servers.deleteServer({ serverId: id, force: false });
    await waitUntil(
      'the server to be gone',
      async () => (await reasonOf(nodes.view(id))) === 'SERVER_NOT_FOUND',
      30_000,
    );
  };

  it('differs from no node while the panel itself changes the files', async () => {
    const { a, b } = nodes;
    const before = [transfersOf(a).epoch, transfersOf(b).epoch];
    const { id } = await stopped();
    expect(transfersOf(a).epoch).to.be.above(before[0] ?? 0);
    await nodes.transfer(id);
    await nodes.settledOn(b, id);
    expect(transfersOf(b).epoch).to.be.above(before[1] ?? 0);
    const beforeDeletion = transfersOf(b).epoch;
    await remove(id);
    expect(transfersOf(b).epoch).to.be.above(beforeDeletion);
    for (const side of [a, b]) expect((await reportOf(side)).databaseIsOlder).to.equal(false);
  });

  it('starts and deletes nothing before staff accept the files', async () => {
    const { a, fixture } = nodes;
    const { id } = await stopped();
    const games = [(await nodes.running()).id, (await nodes.running()).id];
    transfersOf(a).epoch += 10;
    await whenNode(a, Node_Status.OFFLINE);
    await fixture.admin.servers.deleteServer({ serverId: games[0] ?? '', force: false });
    await fixture.admin.servers.reinstallServer({ serverId: games[1] ?? '' });
    expect((await nodeOf(a)).statusReason).to.include('the database is older than the files of this node');
    expect(await reportOf(a)).to.include({ databaseIsOlder: true });
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.until(({ states }) => states.length > 0);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START }).catch(() => undefined);
    await watcher.until(({ lines }) => lines.some((line) => line.includes('the database is older')));
    await watcher.stop();
    const { id: doomed } = await nodes.view(id);
    await fixture.admin.servers.deleteServer({ serverId: doomed, force: false });
    await waitForServer(fixture.owner, id, ({ operation }) => (operation?.problem ?? '') !== '');
    const stray = strayFiles(a);
    expect(await reasonOf(fixture.admin.nodes.deleteNodeVolume({ nodeId: a.nodeId, serverId: stray }))).to.equal(
      'NODE_UNREACHABLE',
    );
    expect(readdirSync(volumesOf(a))).to.include.members([id, stray]);
    for (const game of games) {
      await nodes.until(game, ({ operation }) => (operation?.problem ?? '') !== '');
      expect(await a.instance(game)).to.equal('running');
    }
    await fixture.admin.nodes.acceptNodeFiles({ nodeId: a.nodeId });
    await whenNode(a, Node_Status.ONLINE);
    expect(await reportOf(a)).to.include({ databaseIsOlder: false });
    await waitUntil('the deletion to go on', async () => !a.hasVolume(id), 60_000);
    for (const game of games)
      await waitUntil('the game to be stopped', async () => (await a.instance(game)) !== 'running', 60_000);
    await fixture.admin.nodes.deleteNodeVolume({ nodeId: a.nodeId, serverId: stray });
    expect(readdirSync(volumesOf(a))).to.not.include(stray);
  });

  it('reports the size of files as far as it is measured', async () => {
    const { a } = nodes;
    const [measured, slow] = [strayFiles(a), strayFiles(a)];
    a.files.volumeSizes.set(measured, 5_000_000_000);
    const { orphanVolumes } = await reportOf(a);
    const sizeOf = (id: string) => orphanVolumes.find(({ serverId }) => serverId === id);
    expect(sizeOf(measured)).to.include({ sizeBytes: 5_000_000_000 });
    expect(sizeOf(slow)).to.include({ sizeBytes: undefined });
    for (const serverId of [measured, slow])
      await nodes.fixture.admin.nodes.deleteNodeVolume({ nodeId: a.nodeId, serverId });
  });

  it('adopts the files of a server that it does not know, for one of 50 callers', async () => {
    const { a, fixture } = nodes;
    const id = strayFiles(a);
    transfersOf(a).epoch += 10;
    await whenNode(a, Node_Status.OFFLINE);
    expect((await reportOf(a)).orphanVolumes).to.deep.include({
      serverId: id,
      server: undefined,
      sizeBytes: undefined,
    });
    const request = await adoption(id, { name: 'found again' });
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async () => reasonOf(fixture.admin.servers.createServer(request))),
    );
    expect(outcomes.filter((reason) => reason === 'none')).to.have.length(1);
    expect(new Set(outcomes)).to.deep.equal(new Set(['none', 'SERVER_EXISTS']));
    expect(await nodes.view(id)).to.include({ name: 'found again', status: Server_Status.OFFLINE });
    expect(await reservedOn(fixture.admin, a, id)).to.equal(1);
    expect((await reportOf(a)).orphanVolumes.map(({ serverId }) => serverId)).to.not.include(id);
    await fixture.admin.nodes.acceptNodeFiles({ nodeId: a.nodeId });
    await whenNode(a, Node_Status.ONLINE);
    expect(a.read(id, worldFile)).to.equal(`the world of ${id}`);
    a.write(id, 'game.sh', 'echo ready to play; read line');
    await fixture.admin.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await nodes.until(id, ({ status }) => status === Server_Status.RUNNING);
    await fixture.admin.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
    await nodes.until(id, ({ status }) => status === Server_Status.OFFLINE);
    expect(await reasonOf(fixture.admin.servers.createServer(await adoption(id)))).to.equal('SERVER_EXISTS');
    await remove(id);
  });

  it('adopts nothing that is wrong, and removes no files for it', async () => {
    const { a, fixture } = nodes;
    const id = strayFiles(a);
    const refused = async (changes: Partial<CreateServerRequest>) =>
      reasonOf(adoption(id, changes).then(async (request) => fixture.admin.servers.createServer(request)));
    expect(await refused({ userId: randomUUID() })).to.equal('INVALID_FIELDS');
    expect(await refused({ eggId: randomUUID() })).to.equal('INVALID_FIELDS');
    expect(await refused({ nodeId: '', allocationId: '' })).to.equal('INVALID_FIELDS');
    expect(await refused({ startOnCompletion: true })).to.equal('INVALID_FIELDS');
    expect(await refused({ nodeId: nodes.b.nodeId, allocationId: await freeAllocation(nodes.b) })).to.equal(
      'VOLUME_MISSING',
    );
    expect(
      await refused({ limits: { memoryMb: 900_000_000, swapMb: 0, diskMb: 1, ioWeight: 500, cpuPercent: 0 } }),
    ).to.equal('NODE_CAPACITY');
    const unknown = await adoption(randomUUID());
    expect(await reasonOf(fixture.admin.servers.createServer(unknown))).to.equal('VOLUME_MISSING');
    expect(a.read(id, worldFile)).to.equal(`the world of ${id}`);
    expect(await reservedOn(fixture.admin, a, id)).to.equal(0);
    rmSync(transfersOf(a).volume(id), { recursive: true });
  });

  it('accepts no files of another disk', async () => {
    const { a, fixture } = nodes;
    const transfers = transfersOf(a);
    const { dataRootId, epoch } = transfers;
    transfers.replaceDisk();
    transfers.epoch = 7;
    await whenNode(a, Node_Status.OFFLINE);
    const accept = async () => reasonOf(fixture.admin.nodes.acceptNodeFiles({ nodeId: a.nodeId }));
    expect(await accept()).to.equal('NODE_UNREACHABLE');
    Object.assign(transfers, { dataRootId, epoch });
    await whenNode(a, Node_Status.ONLINE);
    expect(await accept()).to.equal('none');
  });

  it('moves a server to the node that has its files, and copies and removes none', async () => {
    const { a, b, fixture } = nodes;
    const { id } = await stopped();
    const move = async (changes = {}) =>
      fixture.admin.servers.transferServer({ ...requestOf(id, b), hasFiles: true, ...changes });
    expect(await reasonOf(move())).to.equal('VOLUME_MISSING');
    expect(await reasonOf(move({ backupId: randomUUID() }))).to.equal('INVALID_FIELDS');
    cpSync(transfersOf(a).volume(id), transfersOf(b).volume(id), { recursive: true });
    b.write(id, worldFile, 'the newer world');
    expect((await reportOf(b)).orphanVolumes).to.deep.include({
      serverId: id,
      server: { id, name: 'a game', nodeId: a.nodeId },
      sizeBytes: undefined,
    });
    transfersOf(b).epoch += 10;
    await whenNode(b, Node_Status.OFFLINE);
    await move();
    await nodes.until(id, ({ operation, node }) => operation === undefined && node?.id === b.nodeId);
    expect(b.read(id, worldFile)).to.equal('the newer world');
    expect(a.read(id, worldFile)).to.equal(`the world of ${id}`);
    await waitUntil('the old place to be free', async () => (await reservedOn(fixture.admin, a, id)) === 0, 30_000);
    expect((await reportOf(a)).orphanVolumes.map(({ serverId }) => serverId)).to.include(id);
    await fixture.admin.nodes.acceptNodeFiles({ nodeId: b.nodeId });
    await whenNode(b, Node_Status.ONLINE);
    await remove(id);
    expect([a.hasVolume(id), b.hasVolume(id)]).to.deep.equal([true, false]);
    await fixture.admin.nodes.deleteNodeVolume({ nodeId: a.nodeId, serverId: id });
  });
});
