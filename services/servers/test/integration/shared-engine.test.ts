import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { createFixture, type Fixture, onceUnlocked, waitForServer } from '../support/fixture.js';
import { userActor } from '../support/harness.js';
import { PrivateEngine, privateEngineMissing } from '../support/private-engine.js';

const egg = { startup: 'sh -c \'echo ready to play; while read -r word; do [ "$word" = stop ] && exit 0; done\'' };
const missing = await privateEngineMissing();

describe('two installations on one engine', function () {
  if (missing !== null) {
    it(
      `skips installations on one engine: needs its own engine (${missing})`,
      process.env.CI ? () => Promise.reject(new Error(missing)) : undefined,
    );
    return;
  }
  this.timeout(180_000);
  let engine: PrivateEngine;
  let ours: Fixture;
  let theirs: Fixture;

  before(async () => {
    engine = await PrivateEngine.start();
    ours = await createFixture({ engineUrl: engine.url, egg, ports: ['25565-25570'] });
    theirs = await createFixture({ engineUrl: engine.url, egg, ports: ['25575-25580'] });
  });
  after(async () => {
    await ours?.stop();
    await theirs?.stop();
    await engine?.remove();
  });

  const installed = async (fixture: Fixture) => (await fixture.installed({ skipScripts: true })).id;
  const send = async ({ owner }: Fixture, serverId: string, action: PowerAction) =>
    owner.console.sendPowerAction({ serverId, action });
  const status = async ({ owner }: Fixture, id: string, wanted: Server_Status) =>
    waitForServer(owner, id, (server) => server.status === wanted, 60_000);
  const running = async (fixture: Fixture) => {
    const id = await installed(fixture);
    await send(fixture, id, PowerAction.START);
    await status(fixture, id, Server_Status.RUNNING);
    return id;
  };
  const isUp = async (id: string) => (await engine.docker.getContainer(id).inspect()).State.Running;
  const orphansOf = async ({ admin, nodeId }: Fixture) => (await admin.nodes.getNodeReport({ nodeId })).orphanInstances;
  const shownOf = async ({ admin, nodeId }: Fixture) =>
    (await admin.nodes.getNode({ nodeId })).node?.unknownInstanceIds ?? [];
  const labelsOf = async (id: string) => (await engine.docker.getContainer(id).inspect()).Config.Labels;
  /** A running container with the labels of an installation, as it makes them for a server. */
  const runAs = async (panelId: string, serverId: string) => {
    const container = await engine.docker.createContainer({
      name: serverId,
      Image: 'panel-test/busybox:1',
      Cmd: ['sleep', '1000'],
      Labels: {
        'panel.id': panelId,
        'panel.kind': 'server',
        'panel.server': serverId,
        'panel.generation': '1',
      },
      HostConfig: { NetworkMode: 'panel_nw' },
    });
    await container.start();
    return container;
  };

  it('list none of the games of the other one, and leave them running', async () => {
    const [own, other] = [await running(ours), await running(theirs)];
    expect((await labelsOf(own))['panel.id']).not.to.equal((await labelsOf(other))['panel.id']);
    expect([await orphansOf(ours), await orphansOf(theirs)]).to.deep.equal([[], []]);
    const lost = randomUUID();
    const container = await runAs((await labelsOf(own))['panel.id'] ?? '', lost);
    // A later inspection than those in which the games of the other one were seen.
    await waitUntil(
      'the report of what belongs to no server',
      async () => (await shownOf(ours)).includes(lost),
      60_000,
    );
    expect([await shownOf(ours), await orphansOf(ours)]).to.deep.equal([[lost], [lost]]);
    await send(ours, own, PowerAction.KILL);
    await ours.admin.servers.deleteServer({ serverId: own, force: false });
    await waitUntil('the server to be deleted', async () => !(await isThere(own)), 60_000);
    expect([await isUp(other), await isUp(lost)]).to.deep.equal([true, true]);
    expect([await shownOf(theirs), await orphansOf(theirs)]).to.deep.equal([[], []]);
    await container.remove({ force: true });
    await send(theirs, other, PowerAction.KILL);
  });

  it('take over a running game of their server that has the label of an earlier database', async () => {
    const id = await installed(ours);
    const container = await runAs('of an earlier database', id);
    await status(ours, id, Server_Status.RUNNING);
    expect(await isUp(id)).to.equal(true);
    expect([await orphansOf(ours), await orphansOf(theirs)]).to.deep.equal([[], []]);
    await send(ours, id, PowerAction.KILL);
    await status(ours, id, Server_Status.OFFLINE);
    expect((await container.inspect()).State.Running).to.equal(false);
    await send(ours, id, PowerAction.START);
    await status(ours, id, Server_Status.RUNNING);
    const other = await running(theirs);
    expect((await labelsOf(id))['panel.id']).to.match(/^[\da-f-]{36}$/);
    expect((await labelsOf(id))['panel.id']).not.to.equal((await labelsOf(other))['panel.id']);
  });

  it('keep their label over a restart of the service, and on every replica', async () => {
    const id = await running(ours);
    const before = (await labelsOf(id))['panel.id'];
    await send(ours, id, PowerAction.KILL);
    await status(ours, id, Server_Status.OFFLINE);
    const address = await ours.harness.startReplica();
    await ours.harness.stopReplica('first');
    const restarted = { ...ours, owner: ours.harness.clients(userActor(ours.ownerId), address) };
    await onceUnlocked(async () => send(restarted, id, PowerAction.START));
    await status(restarted, id, Server_Status.RUNNING);
    expect((await labelsOf(id))['panel.id']).to.equal(before);
  });

  const isThere = async (id: string): Promise<boolean> => {
    const found = await engine.docker.listContainers({ all: true, filters: { label: [`panel.server=${id}`] } });
    return found.length > 0;
  };
});
