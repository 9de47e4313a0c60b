import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { createProcessRuntime, runtimeError } from '@panel/runtime';
import { expect } from 'chai';
import { PowerAction, PowerOperation_State, Server_Status } from '@panel/protos/servers';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { FaultInjector } from '../support/fault-injector.js';
import { createFixture, type Fixture, type FixtureOptions, reasonOf, waitForServer } from '../support/fixture.js';
import { type Clients, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';

const { START, STOP, RESTART, KILL } = PowerAction;
const waits = (action: string, limit = '5 min') =>
  `[Panel] A part of the panel does not answer: the ${action} is tried again for up to ${limit}`;

describe('start while a part restarts', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  const processes: ServiceProcess[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const process of processes.splice(0)) await process.kill();
    await fixture.stop();
  });

  const use = async (options?: FixtureOptions) => {
    fixture = await createFixture(options);
    return fixture.installed();
  };
  const power = async (serverId: string, action: PowerAction, clients = fixture.owner) =>
    (await clients.console.sendPowerAction({ serverId, action })).operationId;
  const operation = async (serverId: string, operationId: string, clients = fixture.owner) =>
    (await clients.console.getPowerOperation({ serverId, operationId })).operation;
  const status = async (id: string, wanted: Server_Status, clients = fixture.owner) =>
    waitForServer(clients, id, (server) => server.status === wanted, 60_000);
  const watch = (serverId: string, clients: Clients = fixture.owner) => {
    const watching = new ConsoleWatcher(clients, serverId);
    closing.push(() => watching.stop());
    return watching;
  };
  const startsOf = async (serverId: string): Promise<number> => {
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    const servers = mongo.collection<{ _id: string; power: { generation: number } }>('servers');
    const server = await servers.findOne({ _id: serverId });
    await mongo.close();
    return server?.power.generation ?? -1;
  };
  /** Accepted, and waiting for its files. */
  const waiting = async (action = START, options?: FixtureOptions) => {
    const { id } = await use(options);
    const watching = watch(id);
    await watching.until(({ states }) => states.length > 0);
    fixture.harness.fakes.filesAreDown = true;
    const operationId = await power(id, action);
    await watching.untilLine(waits(action === START ? 'start' : 'restart'));
    return { id, operationId, watching };
  };

  it('starts once its files service is back', async () => {
    const { id, operationId, watching } = await waiting();
    expect((await operation(id, operationId))?.state).to.equal(PowerOperation_State.IN_PROGRESS);
    expect(watching.states.at(-1)).to.equal('POWER_STATE_STARTING');
    fixture.harness.fakes.filesAreDown = false;
    await watching.untilLine('ready to play');
    await status(id, Server_Status.RUNNING);
    expect((await operation(id, operationId))?.state).to.equal(PowerOperation_State.COMPLETED);
    expect(await startsOf(id)).to.equal(1);
  });

  it('ends a start whose engine was lost in the middle', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-waiting-'));
    closing.push(async () => rmSync(directory, { recursive: true, force: true }));
    const real = createProcessRuntime({ runDir: directory });
    closing.push(async () => real.close());
    const starts: string[] = [];
    /** Of the container: what else belongs to a start comes after it. */
    const start = async (serverId: string) => {
      await real.start(serverId);
      starts.push(serverId);
      if (starts.length === 1) throw runtimeError('NODE_UNREACHABLE', 'the engine closed the connection');
    };
    const { id } = await use({ overrides: { createRuntime: () => ({ ...real, start }) } });
    await power(id, START);
    await status(id, Server_Status.RUNNING);
    await waitUntil('the end of the start', () => starts.length === 2);
    expect(await startsOf(id)).to.equal(1);
    await real.remove(id);
  });

  it('starts once the engine is back', async () => {
    const outage = new FaultInjector();
    const directory = mkdtempSync(path.join(tmpdir(), 'panel-outage-'));
    const { id, watching } = await waiting(START, { overrides: { createRuntime: outage.factory(directory) } });
    closing.push(async () => {
      const runtime = createProcessRuntime({ runDir: path.join(directory, 'run', fixture.nodeId) });
      await runtime.remove(id);
      await runtime.close();
      rmSync(directory, { recursive: true, force: true });
    });
    outage.cut();
    fixture.harness.fakes.filesAreDown = false;
    const refused = () => outage.refused.filter((call) => call === 'inspect').length;
    await waitUntil('two more tries', () => refused() > 1);
    outage.mend();
    await watching.untilLine('ready to play');
    await status(id, Server_Status.RUNNING);
  });

  it('starts a game again whose restart waits after the stop', async () => {
    const { id } = await use();
    await power(id, START);
    await status(id, Server_Status.RUNNING);
    const watching = watch(id);
    await watching.untilLine('ready to play');
    fixture.harness.fakes.filesAreDown = true;
    await power(id, RESTART);
    await watching.untilLine(waits('restart'));
    await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_STARTING');
    fixture.harness.fakes.filesAreDown = false;
    await watching.until(({ lines }) => lines.filter((line) => line === 'ready to play').length === 2);
    expect(await startsOf(id)).to.equal(2);
  });

  it('fails after START_TIMEOUT, and says so in console, operation and activity log', async () => {
    const { id } = await use({ environment: { START_TIMEOUT: '2s' } });
    const watching = watch(id);
    await watching.until(({ states }) => states.length > 0);
    fixture.harness.fakes.filesAreDown = true;
    const operationId = await power(id, START);
    await watching.untilLine(waits('start', '2 s'));
    const error = 'a part of the panel did not answer for 2 s';
    await watching.untilLine(`[Panel] start failed: ${error}`);
    await status(id, Server_Status.OFFLINE);
    expect(await operation(id, operationId)).to.include({ state: PowerOperation_State.FAILED, error });
    const recorded = () =>
      [...fixture.harness.fakes.activity.values()].filter(
        ({ event, serverId }) => event === 'server:start.failed' && serverId === id,
      );
    await waitUntil('the event', () => recorded().length > 0);
    expect(recorded()).to.have.length(1);
    expect(recorded()[0]).to.deep.include({ actorId: '', properties: { error } });
    fixture.harness.fakes.filesAreDown = false;
    await power(id, START);
    await watching.untilLine('ready to play');
    expect(await startsOf(id)).to.equal(1);
  });

  for (const [name, action] of [
    ['stop', STOP],
    ['kill', KILL],
  ] as const) {
    it(`ends a start that waits by a ${name}`, async () => {
      const { id, operationId, watching } = await waiting();
      expect(await reasonOf(power(id, RESTART))).to.equal('SERVER_LOCKED');
      const ending = await power(id, action);
      await status(id, Server_Status.OFFLINE);
      fixture.harness.fakes.filesAreDown = false;
      await waitUntil(
        'the end of the action',
        async () => (await operation(id, ending))?.state === PowerOperation_State.COMPLETED,
      );
      expect((await operation(id, operationId))?.state).to.equal(PowerOperation_State.SUPERSEDED);
      // A start of the worker that has lost its lease would come before this one.
      await power(id, START);
      await watching.untilLine('ready to play');
      expect(await startsOf(id)).to.equal(1);
      expect(watching.lines.filter((line) => line.includes('start failed'))).to.deep.equal([]);
    });
  }

  for (const [how, end] of [
    ['kill -9', async (process: ServiceProcess) => process.kill()],
    ['its end', async (process: ServiceProcess) => process.terminate()],
  ] as const) {
    it(`starts once, by the next process, after ${how} of the one that accepted it`, async () => {
      const { id } = await use();
      await fixture.harness.stopReplica();
      const first = await ServiceProcess.start(fixture.harness.environment({ NODE_LEASE_TTL: '4s' }));
      processes.push(first);
      const before = fixture.harness.clients(userActor(fixture.ownerId), first.address);
      const watching = await ConsoleWatcher.whenTaken(before, id);
      fixture.harness.fakes.filesAreDown = true;
      const operationId = await power(id, START, before);
      await watching.untilLine(waits('start'));
      await end(first);
      await watching.stop();
      await fixture.harness.expireLeases();
      const address = await fixture.harness.startReplica({ NODE_LEASE_TTL: '4s' });
      const owner = fixture.harness.clients(userActor(fixture.ownerId), address);
      const after = await ConsoleWatcher.whenTaken(owner, id);
      closing.push(() => after.stop());
      await after.untilLine(waits('start'));
      fixture.harness.fakes.filesAreDown = false;
      await after.untilLine('ready to play');
      await status(id, Server_Status.RUNNING, owner);
      expect((await operation(id, operationId, owner))?.state).to.equal(PowerOperation_State.COMPLETED);
      expect(await startsOf(id)).to.equal(1);
    });
  }
});
