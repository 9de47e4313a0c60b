import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { Node_Status, PowerAction, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';

describe('the data root of a node', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ environment: { CRASH_RESTART_DELAY: '1s' } });
  });
  after(() => fixture.stop());

  const node = async () => {
    const { node: found } = await fixture.admin.nodes.getNode({ nodeId: fixture.nodeId });
    if (!found) throw new Error('no node');
    return found;
  };
  const whenNode = async (status: Node_Status) =>
    waitUntil(`the node to be ${status}`, async () => (await node()).status === status, 60_000);
  const volumes = () => path.join(fixture.harness.filesDirectory, 'servers');

  it('binds a node to the data root of the first contact', async () => {
    await waitUntil('the node to be bound', async () => (await node()).dataRootId !== '');
    expect((await node()).dataRootId).to.equal(fixture.harness.fakes.transfers.dataRootId);
  });

  it('starts no game in place of files that are gone, and starts it when they are back', async () => {
    const { id } = await fixture.installed();
    renameSync(path.join(volumes(), id), path.join(volumes(), 'away'));
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.until(({ states }) => states.length > 0);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await watcher.untilLine(
      '[Panel] start failed: the files of this server are not on its node: nothing is started in their place',
    );
    await watcher.stop();
    expect(existsSync(path.join(volumes(), id))).to.equal(false);
    renameSync(path.join(volumes(), 'away'), path.join(volumes(), id));
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
  });

  it('reports a files service that does not answer, and places no server there, while games run on', async () => {
    const { fakes } = fixture.harness;
    fakes.filesAreDown = true;
    await waitUntil('the reason', async () => (await node()).statusReason.includes('its files service'), 60_000);
    expect(await node()).to.include({ status: Node_Status.ONLINE, problem: 'files_unreachable' });
    const refused: unknown = await fixture
      .createServer({ nodeId: '', allocationId: '' })
      .catch((error: unknown) => error);
    expect(refused).to.have.nested.property('metadata.nodes.files', 1);
    const { nodeId, allocationIds } = fixture;
    const named: unknown = await fixture
      .createServer({ nodeId, allocationId: allocationIds.at(-1) ?? '' })
      .catch((error: unknown) => error);
    expect(named).to.deep.include({
      reason: 'NODE_NOT_READY',
      metadata: { node_id: nodeId, problem: 'files_unreachable' },
    });
    fakes.filesAreDown = false;
    await waitUntil('the end of it', async () => (await node()).statusReason === '', 60_000);
  });

  it('reports a files service with another time, and works on with it', async () => {
    const { transfers } = fixture.harness.fakes;
    expect((await node()).problem).to.equal('');
    transfers.clockOffsetMs = -90_000;
    await waitUntil('the reason', async () => (await node()).problem === 'clock_differs', 60_000);
    const found = await node();
    expect(found.statusReason).to.match(/^the clock of its files service is (89|90) s behind the panel's$/);
    expect(found.status).to.equal(Node_Status.ONLINE);
    transfers.clockOffsetMs = 0;
    await waitUntil('the end of it', async () => (await node()).problem === '', 60_000);
  });

  it('puts the node offline while another one is there, with which nothing is done', async () => {
    const { id } = await fixture.installed();
    writeFileSync(path.join(volumes(), id, 'world.dat'), 'a world');
    const { fakes } = fixture.harness;
    const own = fakes.transfers.dataRootId;
    fakes.transfers.replaceDisk();
    await whenNode(Node_Status.OFFLINE);
    expect((await node()).problem).to.equal('data_root_foreign');
    expect((await node()).statusReason).to.equal(
      'the disk of this node is another one than its record says: is it mounted?: ' +
        `data root ${fakes.transfers.dataRootId} instead of ${own}`,
    );
    const before = readdirSync(volumes());
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.until(({ states }) => states.length > 0);
    // The engine answers, so the start is accepted, and fails.
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START }).catch(() => undefined);
    await watcher.until(({ lines }) => lines.some((line) => line.includes('is it mounted?')));
    await watcher.stop();
    const create = fixture.owner.backups.createBackup({
      serverId: id,
      name: '',
      ignoredFiles: [],
      rotate: true,
      databases: false,
    });
    expect(await reasonOf(create)).to.equal('NODE_UNREACHABLE');
    const granted = fixture.owner.servers.grantFileAccess({ serverId: id, permission: 'file.read' });
    expect(await granted.catch((error: unknown) => error)).to.have.nested.property(
      'metadata.problem',
      'data_root_foreign',
    );
    await fixture.admin.servers.deleteServer({ serverId: id, force: false });
    await waitForServer(fixture.owner, id, ({ status }) => status !== Server_Status.OFFLINE);
    expect(readdirSync(volumes())).to.deep.equal(before);
    fakes.transfers.dataRootId = own;
    await whenNode(Node_Status.ONLINE);
  });

  it('becomes another one by the word of an operator', async () => {
    const { fakes } = fixture.harness;
    fakes.transfers.replaceDisk();
    await whenNode(Node_Status.OFFLINE);
    const bind = async (dataRootId: string) =>
      fixture.admin.nodes.updateNode({
        nodeId: fixture.nodeId,
        dataRootId,
        tags: undefined,
        emulatedPlatforms: undefined,
        engine: undefined,
      });
    expect(await reasonOf(bind('no id'))).to.equal('INVALID_FIELDS');
    await bind(fakes.transfers.dataRootId);
    await whenNode(Node_Status.ONLINE);
    fakes.transfers.replaceDisk();
    await whenNode(Node_Status.OFFLINE);
    await bind('');
    await whenNode(Node_Status.ONLINE);
    expect((await node()).dataRootId).to.equal(fakes.transfers.dataRootId);
  });
});
