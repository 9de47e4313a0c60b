import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { ListServersRequest, PowerAction, Server_Status } from '@panel/protos/servers';
import { type Clients, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { readProcess } from '@panel/runtime';
import { createFixture, reasonOf, waitForServer, type Fixture, type FixtureOptions } from '../support/fixture.js';

/** A number every 20 ms until "stop", without a process per number. */
const ticker = [
  'echo ready to play',
  '(exec 9<> <(:); i=0; while :; do i=$((i+1)); echo "line $i"; read -rt 0.02 -u 9; done) &',
  // Whole lines: a read timeout loses a part.
  'while read -r word; do [ "$word" = stop ] && { kill $!; wait $! 2>/dev/null; echo bye; exit 0; }; done',
].join('\n');
const egg = {
  startup: `bash -c '${ticker}'`,
  scripts: { installation: { script: 'echo x', container: 'a', entrypoint: 'sh' } },
};
const numbered = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('line ')).map((line) => Number(line.slice(5)));

const runs = (pid: number) => !['Z', 'X', undefined].includes(readProcess(pid)?.state);

const leases = { NODE_LEASE_TTL: '4s' };

const clientsAt = ({ harness, ownerId }: Fixture, address: string) => ({
  owner: harness.clients(userActor(ownerId), address),
  admin: harness.clients(userActor(ownerId, ['*']), address),
});

describe('service restart', function () {
  this.timeout(400_000);
  let fixture: Fixture;
  const fixtures: Fixture[] = [];
  const processes: ServiceProcess[] = [];
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.kill();
    for (const one of fixtures.splice(0)) await one.stop();
  });
  /** The fixture of this case. */
  const use = async (options: FixtureOptions = { egg }) => {
    fixture = await createFixture(options);
    fixtures.push(fixture);
    return fixture;
  };
  const installed = async (options?: FixtureOptions) => (await use(options)).installed();

  /** Replaces the local replica, whose stop frees its leases, by a process. */
  const takeOut = async (extra: Record<string, string> = {}) => {
    await fixture.harness.stopReplica();
    const service = await ServiceProcess.start(fixture.harness.environment({ ...leases, ...extra }));
    processes.push(service);
    return { service, ...clientsAt(fixture, service.address) };
  };
  /** The next replica, in this process. */
  const takeOver = async (extra: Record<string, string> = {}) =>
    clientsAt(fixture, await fixture.harness.startReplica({ ...leases, ...extra }));
  /** As after the leases of the dead replica have expired. */
  const takeOverAtOnce = async () => {
    await fixture.harness.expireLeases();
    return takeOver();
  };
  const status = (owner: Clients, id: string, wanted: Server_Status) =>
    waitForServer(owner, id, (server) => server.status === wanted, 60_000);

  it('keeps games over kill -9 and restores consoles without lost or duplicated lines', async () => {
    const { id } = await installed();
    const first = await takeOut();
    await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(first.owner, id, Server_Status.RUNNING);
    const before = new ConsoleWatcher(first.owner, id, 1000);
    await before.until(({ lines }) => numbered(lines).length > 600, 120_000);
    await first.service.kill();
    await before.until(({ isEnded }) => isEnded);

    const second = await takeOver();
    await status(second.owner, id, Server_Status.RUNNING);
    const after = await ConsoleWatcher.whenTaken(second.owner, id, 1000);
    const last = Math.max(...numbered(before.lines));
    await after.until(({ lines }) => numbered(lines).includes(last + 100), 120_000);
    const sequenceOf = (watching: ConsoleWatcher) =>
      new Map(
        watching.events.flatMap(({ event }) =>
          event?.$case === 'console' && event.value.text.startsWith('line ')
            ? [[Number(event.value.text.slice(5)), event.value.sequence] as const]
            : [],
        ),
      );
    const [old, fresh] = [sequenceOf(before), sequenceOf(after)];
    const numbers = numbered(after.lines);
    expect(numbers).to.deep.equal(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    expect(Math.min(...numbers)).to.be.at.most(last);
    const shared = [...fresh.keys()].filter((number) => old.has(number));
    expect(shared.length).to.be.greaterThan(100);
    for (const number of shared) expect(fresh.get(number), `line ${number}`).to.equal(old.get(number));
    await second.owner.console.sendCommand({ serverId: id, command: 'stop' });
    await status(second.owner, id, Server_Status.OFFLINE);
    expect(after.lines).to.include('bye');
    await after.stop();
  });

  it('answers older lines with their numbers, also after kill -9', async () => {
    const { owner } = await use({});
    const { id } = await fixture.installed();
    await owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(owner, id, Server_Status.RUNNING);
    const watching = new ConsoleWatcher(owner, id);
    await watching.untilLine('ready to play');
    await owner.console.sendCommand({ serverId: id, command: 'count 5000' });
    await watching.until(({ lines }) => lines.includes('line 5000'), 120_000);
    const numberOf = new Map(watching.lines.map((text, at) => [text, watching.sequences[at] ?? 0]));
    await watching.stop();
    const check = async (clients: Clients) => {
      for (const line of [4_990, 3_500, 1_200, 300]) {
        const beforeSequence = numberOf.get(`line ${line}`) ?? 0;
        const { lines, hasMore } = await clients.console.listConsoleLines({
          serverId: id,
          beforeSequence,
          limit: 200,
        });
        const wanted = Array.from({ length: 200 }, (_, at) => line - 200 + at);
        expect(lines.map(({ text }) => text)).to.deep.equal(wanted.map((number) => `line ${number}`));
        for (const { text, sequence } of lines) expect(sequence).to.equal(numberOf.get(text));
        expect(hasMore).to.equal(true);
      }
      const start = await clients.console.listConsoleLines({ serverId: id, beforeSequence: 3, limit: 50 });
      expect(start.lines.map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
      expect(start.hasMore).to.equal(false);
      const newest = await clients.console.listConsoleLines({ serverId: id, beforeSequence: undefined, limit: 2 });
      expect(newest.lines.at(-1)?.text).to.equal('line 5000');
    };
    await check(owner);
    const stranger = fixture.harness.clients(
      userActor('5f0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11'),
      fixture.harness.address,
    );
    const query = { serverId: id, beforeSequence: undefined, limit: 1 };
    expect(await reasonOf(stranger.console.listConsoleLines(query))).to.equal('SERVER_NOT_FOUND');
    expect(await reasonOf(owner.console.listConsoleLines({ ...query, limit: 0 }))).to.equal('INVALID_FIELDS');
    // Positions are saved every 30 s and at shutdown.
    const second = await takeOut();
    await (await ConsoleWatcher.whenTaken(second.owner, id)).stop();
    await second.service.kill();
    const { owner: last } = await takeOver();
    const again = await ConsoleWatcher.whenTaken(last, id);
    await again.until(({ lines }) => lines.includes('line 5000'));
    await again.stop();
    await check(last);
  });

  it('shows the last run of a stopped game after a restart', async () => {
    const { id } = await installed();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(fixture.owner, id, Server_Status.RUNNING);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    await status(fixture.owner, id, Server_Status.OFFLINE);
    await fixture.harness.stopReplica();
    const { owner } = await takeOver();
    const watching = await ConsoleWatcher.whenTaken(owner, id, 1000);
    await watching.untilLine('bye');
    expect(watching.lines).to.include('ready to play');
    expect(watching.states).to.deep.equal(['POWER_STATE_OFFLINE']);
    await watching.stop();
  });

  it('notifies console readers on SIGTERM and keeps games running', async () => {
    const { id } = await installed();
    const first = await takeOut();
    await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(first.owner, id, Server_Status.RUNNING);
    const watching = new ConsoleWatcher(first.owner, id);
    await watching.untilLine('line 10');
    await first.service.terminate();
    await watching.until(({ isEnded }) => isEnded);
    expect(watching.endReason).to.equal('REASON_RESTARTING');
    expect(first.service.child.exitCode).to.equal(0);
    const second = await takeOver();
    await status(second.owner, id, Server_Status.RUNNING);
    const { resources } = await second.owner.console.getResources({ serverId: id });
    expect(resources?.uptimeMs).to.be.greaterThan(500);
  });

  it('ends in time on SIGTERM during a stop, which the next process completes', async () => {
    await use({ environment: { STOP_GRACE: '20s' } });
    const { id } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(fixture.owner, id, Server_Status.RUNNING);
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    const started = performance.now();
    await fixture.harness.stopReplica();
    expect(performance.now() - started).to.be.below(5_000);
    const { owner } = await takeOver();
    await status(owner, id, Server_Status.OFFLINE);
  });

  it('kills an installer in time on SIGTERM and restarts it in the next process', async () => {
    await use({
      egg: {
        scripts: {
          installation: {
            script: 'echo begun; [ -e again ] && exit 0; touch again; sleep 30',
            container: 'a',
            entrypoint: 'sh',
          },
        },
      },
    });
    const { id } = await fixture.createServer();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.until(({ installLines }) => installLines.includes('begun'));
    const started = performance.now();
    await fixture.harness.stopReplica();
    expect(performance.now() - started).to.be.below(5_000);
    const { owner } = await takeOver();
    await status(owner, id, Server_Status.OFFLINE);
    await watching.stop();
  });

  it('stops games first when configured and starts them again', async () => {
    const { id } = await installed();
    const first = await takeOut({ GAMES_ON_SHUTDOWN: 'stop' });
    await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(first.owner, id, Server_Status.RUNNING);
    const watching = new ConsoleWatcher(first.owner, id);
    await watching.untilLine('line 5');
    await first.service.terminate();
    await watching.until(({ isEnded }) => isEnded);
    expect(watching.lines).to.include('bye');
    expect(watching.states.at(-1)).to.equal('POWER_STATE_OFFLINE');
    const second = await takeOver({ GAMES_ON_SHUTDOWN: 'stop' });
    await status(second.owner, id, Server_Status.RUNNING);
  });

  it('starts games again after a crash during their shutdown', async () => {
    const { id } = await installed();
    const first = await takeOut({ GAMES_ON_SHUTDOWN: 'stop', FAILPOINT: 'stop.asked:kill' });
    await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(first.owner, id, Server_Status.RUNNING);
    await first.service.terminate();
    expect(first.service.child.signalCode).to.equal('SIGKILL');
    // One inspection only: the lease reveals the unfinished stop.
    const { owner } = await takeOver({ RECONCILE_INTERVAL: '1h' });
    await status(owner, id, Server_Status.RUNNING);
  });

  it('detects games that ended meanwhile and restarts them as crashed', async () => {
    const { id } = await installed();
    const first = await takeOut();
    await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await status(first.owner, id, Server_Status.RUNNING);
    await first.service.kill();
    await fixture.harness.killGames();
    const second = await takeOver();
    await waitForServer(second.owner, id, () => true);
    const watching = await ConsoleWatcher.whenTaken(second.owner, id);
    await watching.until(
      ({ states }) => states.includes('POWER_STATE_STARTING') || states.includes('POWER_STATE_RUNNING'),
      60_000,
    );
    await status(second.owner, id, Server_Status.RUNNING);
    await watching.untilLine('ready to play');
    await watching.stop();
  });

  it('finds running games that a restored database does not know', async () => {
    const { id } = await installed();
    for (const action of [PowerAction.START, PowerAction.RESTART]) {
      await fixture.owner.console.sendPowerAction({ serverId: id, action });
      await status(fixture.owner, id, Server_Status.RUNNING);
    }
    await fixture.harness.stopReplica();
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    const before = { 'power.generation': 0, 'power.state': 'offline', 'power.desired': 'offline', status: 'offline' };
    await mongo.collection<{ _id: string }>('servers').updateOne({ _id: id }, { $set: before });
    await mongo.close();
    const { owner } = await takeOver();
    await status(owner, id, Server_Status.RUNNING);
    await owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP });
    await status(owner, id, Server_Status.OFFLINE);
    const watching = await ConsoleWatcher.whenTaken(owner, id, 1000);
    await watching.untilLine('bye');
    await watching.stop();
  });

  const installFaults = ['install.volume', 'install.ran'];
  for (const point of installFaults) {
    it(`resumes the installation after a crash at ${point}`, async () => {
      await use();
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      const { server } = await first.admin.servers.createServer(fixture.request());
      await first.service.ended();
      const second = await takeOverAtOnce();
      const installed = await waitForServer(
        second.owner,
        server?.id ?? '',
        ({ operation }) => operation === undefined,
        45_000,
      );
      expect(installed.status).to.equal(Server_Status.OFFLINE);
    });
  }

  it('leaves no installer of a deleted server after kill -9 during installation', async () => {
    const script = 'echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done';
    await use({ egg: { scripts: { installation: { script, container: 'a', entrypoint: 'sh' } } } });
    const first = await takeOut();
    const { server } = await first.admin.servers.createServer(fixture.request());
    const id = server?.id ?? '';
    const pidFile = path.join(fixture.harness.filesDirectory, 'servers', id, 'pid');
    await waitUntil('the installer to run', async () => existsSync(pidFile), 60_000);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await first.service.kill();
    expect(runs(pid)).to.equal(true);
    const { admin } = await takeOver();
    await admin.servers.deleteServer({ serverId: id, force: false });
    const isGone = async () =>
      (await reasonOf(admin.servers.getServer({ serverId: id, asStaff: true }))) === 'SERVER_NOT_FOUND';
    await waitUntil('the server to be gone', isGone, 120_000);
    expect(runs(pid)).to.equal(false);
  });

  for (const point of ['create.reserved', 'create.stored']) {
    it(`leaves a complete server or none after a crash at ${point}`, async () => {
      await use();
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      await first.admin.servers.createServer(fixture.request()).catch((error: unknown) => error);
      await first.service.ended();
      const second = await takeOverAtOnce();
      const { servers } = await second.owner.servers.listServers({
        ...ListServersRequest.create(),
        scope: 'SCOPE_OWN' as never,
        status: 'STATUS_UNSPECIFIED' as never,
      });
      expect(servers).to.have.length(point === 'create.stored' ? 1 : 0);
      for (const { id } of servers)
        await waitForServer(second.owner, id, ({ operation }) => operation === undefined, 45_000);
    });
  }

  for (const point of ['delete.stop', 'delete.remove_instance', 'delete.delete_files', 'delete.free']) {
    it(`completes the deletion after a crash at ${point}`, async () => {
      const { id } = await installed();
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await status(first.owner, id, Server_Status.RUNNING);
      await first.admin.servers.deleteServer({ serverId: id, force: false }).catch((error: unknown) => error);
      await first.service.ended();
      const second = await takeOverAtOnce();
      const isGone = async () =>
        (await reasonOf(second.owner.servers.getServer({ serverId: id, asStaff: false }))) === 'SERVER_NOT_FOUND';
      await waitUntil('the server to be gone', isGone, 120_000);
      const { node } = await second.admin.nodes.getNode({ nodeId: fixture.nodeId });
      expect(node?.allocated).to.include({ servers: 0, memoryMb: 0 });
    });
  }

  for (const point of ['stop.asked', 'stop.ended']) {
    it(`stops the game and keeps it stopped after a crash at ${point}`, async () => {
      const { id } = await installed();
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await status(first.owner, id, Server_Status.RUNNING);
      // Its answer may be lost with the process.
      await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.STOP }).catch(() => undefined);
      await first.service.ended();
      const second = await takeOverAtOnce();
      await waitForServer(second.owner, id, ({ status: now }) => now === Server_Status.OFFLINE, 50_000);
      const watching = await ConsoleWatcher.whenTaken(second.owner, id, 1000);
      await watching.untilLine('bye');
      expect(watching.states).to.deep.equal(['POWER_STATE_OFFLINE']);
      await watching.stop();
      await second.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await status(second.owner, id, Server_Status.RUNNING);
    });
  }

  for (const point of ['reinstall.stopped', 'install.volume', 'install.ran']) {
    it(`completes the reinstallation of a running game and keeps its files after a crash at ${point}`, async () => {
      const { id } = await installed();
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await status(fixture.owner, id, Server_Status.RUNNING);
      const saved = path.join(fixture.harness.filesDirectory, 'servers', id, 'world.dat');
      writeFileSync(saved, 'precious');
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      await first.owner.servers.reinstallServer({ serverId: id }).catch((error: unknown) => error);
      await first.service.ended();
      const second = await takeOverAtOnce();
      const after = await waitForServer(second.owner, id, ({ operation }) => operation === undefined, 50_000);
      expect([after.status, readFileSync(saved, 'utf8')]).to.deep.equal([Server_Status.OFFLINE, 'precious']);
      await second.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await status(second.owner, id, Server_Status.RUNNING);
    });
  }

  for (const point of ['start.claimed', 'start.created', 'start.started']) {
    it(`runs the game exactly once after a crash at ${point}`, async () => {
      const { id } = await installed();
      const first = await takeOut({ FAILPOINT: `${point}:kill` });
      await first.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START }).catch(() => undefined);
      await first.service.ended();
      const second = await takeOverAtOnce();
      await waitForServer(second.owner, id, ({ status: now }) => now === Server_Status.RUNNING, 50_000);
      const watching = new ConsoleWatcher(second.owner, id, 1000);
      await watching.untilLine('line 20');
      expect(watching.lines.filter((line) => line === 'ready to play')).to.have.length(1);
      await watching.stop();
    });
  }
});
