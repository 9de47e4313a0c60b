import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { type Clients, userActor, testSeal } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { connectMongo } from '@panel/kit/mongo';
import { createProcessRuntime } from '@panel/runtime';
import { readProcess } from '@panel/runtime';
import type { Instance } from '@panel/runtime';
import { createStores } from '../../src/models/stores.js';
import { createFixture, emptyNode, onceUnlocked, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

/** Address of the node's watcher. */
async function holderOf({ harness, nodeId }: Fixture): Promise<string | undefined> {
  const mongo = await connectMongo(harness.mongoUrl, { appName: 'test' });
  try {
    return (await createStores(mongo, testSeal).leases.holder(nodeId))?.address;
  } finally {
    await mongo.close();
  }
}

async function isPowerLeased({ harness }: Fixture, serverId: string): Promise<boolean> {
  const mongo = await connectMongo(harness.mongoUrl, { appName: 'test' });
  try {
    return (await createStores(mongo, testSeal).servers.get(serverId))?.power.lease !== null;
  } finally {
    await mongo.close();
  }
}

/** From the node's engine. */
async function instanceOf({ harness, nodeId }: Fixture, serverId: string): Promise<Instance | null> {
  const runtime = createProcessRuntime({ runDir: path.join(harness.directory, 'run', nodeId) });
  try {
    return await runtime.inspect(serverId);
  } finally {
    await runtime.close();
  }
}

describe('replicas', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let other: Clients;
  beforeEach(async () => {
    fixture = await createFixture();
    const address = await fixture.harness.startReplica();
    other = fixture.harness.clients(userActor(fixture.ownerId), address);
  });
  afterEach(() => fixture.stop());

  it('forwards a console reader to the replica that watches the node, with its own permissions', async () => {
    const { id } = await fixture.installed();
    const here = new ConsoleWatcher(fixture.owner, id);
    const there = new ConsoleWatcher(other, id);
    await Promise.all([here, there].map((watching) => watching.until(({ states }) => states.length > 0)));
    await other.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await Promise.all([here, there].map((watching) => watching.untilLine('ready to play')));
    await other.console.sendCommand({ serverId: id, command: 'from there' });
    await Promise.all([here, there].map((watching) => watching.untilLine('echo: from there')));
    await there.until(({ states }) => states.at(-1) === 'POWER_STATE_RUNNING');
    expect((await other.console.getResources({ serverId: id })).resources?.memoryBytes).to.be.greaterThan(0);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    await Promise.all(
      [here, there].map((watching) => watching.until(({ states }) => states.at(-1) === 'POWER_STATE_OFFLINE')),
    );
    await Promise.all([here.stop(), there.stop()]);
  });

  it('starts a server once for 50 concurrent requests at both', async () => {
    const { id } = await fixture.installed();
    const watching = new ConsoleWatcher(other, id);
    await watching.until(({ states }) => states.length > 0);
    const clients = [fixture.owner, other];
    const reasons = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        reasonOf((clients[at % 2] ?? other).console.sendPowerAction({ serverId: id, action: PowerAction.START })),
      ),
    );
    expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
    await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_RUNNING');
    expect(watching.lines.filter((line) => line === 'ready to play')).to.have.length(1);
    await watching.stop();
  });

  it('reaches one consistent state after 50 mixed actions at both', async () => {
    const { id } = await fixture.installed();
    const clients = [fixture.owner, other];
    const { START, STOP, RESTART, KILL } = PowerAction;
    const allowed = ['none', 'SERVER_LOCKED', 'ALREADY_RUNNING', 'ALREADY_OFFLINE'];
    for (let round = 0; round < 2; round++) {
      const reasons = await Promise.all(
        Array.from({ length: 50 }, (_, at) => {
          const action = [START, RESTART, KILL, STOP, START][at % 5] ?? KILL;
          return reasonOf((clients[at % 2] ?? other).console.sendPowerAction({ serverId: id, action }));
        }),
      );
      for (const reason of reasons) expect(allowed).to.include(reason);
      await waitForServer(
        other,
        id,
        ({ status }) => status === Server_Status.OFFLINE || status === Server_Status.RUNNING,
      );
    }
    await other.console.sendPowerAction({ serverId: id, action: KILL });
    await waitForServer(other, id, ({ status }) => status === Server_Status.OFFLINE);
    await onceUnlocked(() => fixture.owner.console.sendPowerAction({ serverId: id, action: START }));
    await waitForServer(other, id, ({ status }) => status === Server_Status.RUNNING);
  });

  it('shares the nodes among replicas', async () => {
    for (let count = 0; count < 3; count++) {
      const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, name: `node ${count}` });
      fixture.harness.processNodes.push(node?.id ?? '');
    }
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      const { leases, nodes } = createStores(mongo, testSeal);
      const areShared = async () => {
        const holders = await Promise.all((await nodes.all()).map(({ id }) => leases.holder(id)));
        const owners = holders.flatMap((holder) => holder?.owner ?? []);
        const counts = [...new Set(owners)].map((owner) => owners.filter((each) => each === owner).length);
        return counts.join() === '2,2';
      };
      await waitUntil('4 nodes to be shared as 2,2', areShared);
    } finally {
      await mongo.close();
    }
  });

  it('takes over a node immediately after a graceful stop', async () => {
    const { id } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(other, id, ({ status }) => status === Server_Status.RUNNING);
    // The first watcher of the node.
    const isFirst = (await holderOf(fixture)) === fixture.harness.address;
    const survivor = isFirst ? other : fixture.owner;
    const watching = new ConsoleWatcher(survivor, id);
    await watching.untilLine('ready to play');
    await fixture.harness.stopReplica(isFirst ? 'first' : 'last');
    await watching.until(({ isEnded }) => isEnded);
    expect(watching.endReason).to.equal('REASON_RESTARTING');
    const again = new ConsoleWatcher(survivor, id);
    await again.untilLine('ready to play');
    await survivor.console.sendCommand({ serverId: id, command: 'still here' });
    await again.untilLine('echo: still here');
    await again.stop();
  });

  it('takes over a node after its watcher was killed', async () => {
    await fixture.harness.stopReplica('last');
    await fixture.harness.stopReplica('first');
    const dying = await ServiceProcess.start(fixture.harness.environment());
    const owner = fixture.harness.clients(userActor(fixture.ownerId), dying.address);
    const admin = fixture.harness.clients(userActor(fixture.ownerId, ['*']), dying.address);
    const { server } = await admin.servers.createServer(fixture.request({ startOnCompletion: true }));
    const id = server?.id ?? '';
    await waitForServer(owner, id, ({ status }) => status === Server_Status.RUNNING);
    const survivor = fixture.harness.clients(userActor(fixture.ownerId), await fixture.harness.startReplica());
    const watching = new ConsoleWatcher(survivor, id);
    await watching.untilLine('ready to play');
    await dying.kill();
    await watching.until(({ isEnded }) => isEnded);
    expect(watching.endReason).to.equal('REASON_RESTARTING');
    const again = await ConsoleWatcher.whenTaken(survivor, id);
    await again.untilLine('ready to play');
    await survivor.console.sendCommand({ serverId: id, command: 'hello' });
    await again.untilLine('echo: hello');
    await again.stop();
  });

  for (const point of ['start.claimed', 'start.created', 'start.started', 'stop.asked']) {
    it(`keeps replicas consistent when a paused one resumes at ${point} after its lease expired`, async () => {
      const { id } = await fixture.installed();
      const lease = { NODE_LEASE_TTL: '4s' };
      await fixture.harness.stopReplica('last');
      await fixture.harness.stopReplica('first');
      const sleeper = await ServiceProcess.start(
        fixture.harness.environment({ ...lease, FAILPOINT: `${point}:pause` }),
      );
      try {
        const first = fixture.harness.clients(userActor(fixture.ownerId), sleeper.address);
        const isStop = point.startsWith('stop.');
        await first.console.sendPowerAction({ serverId: id, action: PowerAction.START });
        if (isStop) {
          await waitForServer(first, id, ({ status }) => status === Server_Status.RUNNING);
          void first.console.sendPowerAction({ serverId: id, action: PowerAction.STOP }).catch(() => undefined);
        }
        const sleeps = async () => readProcess(sleeper.child.pid ?? 0)?.state === 'T';
        await waitUntil('the replica to sleep', sleeps);

        const awake = fixture.harness.clients(userActor(fixture.ownerId), await fixture.harness.startReplica(lease));
        if (isStop) {
          await waitForServer(awake, id, ({ status }) => status === Server_Status.OFFLINE, 30_000);
          await awake.console.sendPowerAction({ serverId: id, action: PowerAction.START });
        }
        await waitForServer(awake, id, ({ status }) => status === Server_Status.RUNNING, 30_000);
        await waitUntil('its lease to be taken over', async () => !(await isPowerLeased(fixture, id)));
        const watching = await ConsoleWatcher.whenTaken(awake, id);
        await watching.untilLine('ready to play');
        const run = await instanceOf(fixture, id);
        sleeper.child.kill('SIGCONT');
        for (let round = 1; round <= 5; round += 1) {
          await first.servers.getServer({ serverId: id, asStaff: false });
          await awake.console.sendCommand({ serverId: id, command: `round ${round}` });
          await watching.untilLine(`echo: round ${round}`);
        }
        expect(await instanceOf(fixture, id)).to.deep.equal(run);
        const { server } = await awake.servers.getServer({ serverId: id, asStaff: false });
        expect(server?.status).to.equal(Server_Status.RUNNING);
        expect(watching.states).to.deep.equal(['POWER_STATE_RUNNING']);
        await watching.stop();
      } finally {
        await sleeper.kill();
      }
    });
  }
});
