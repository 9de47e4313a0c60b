import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { ImportEggRequest_Format, PowerAction, PowerOperation_State, Server_Status } from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { userActor } from '../support/harness.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import {
  onceUnlocked,
  allReasons,
  createFixture,
  fieldsOf,
  gameEgg,
  reasonOf,
  waitForServer,
  type Fixture,
} from '../support/fixture.js';

const { START, STOP, RESTART, KILL } = PowerAction;

describe('power actions', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture();
  });
  after(() => fixture.stop());

  const power = (serverId: string, action: PowerAction) => fixture.owner.console.sendPowerAction({ serverId, action });
  const status = (serverId: string, wanted: Server_Status, timeoutMs?: number) =>
    waitForServer(fixture.owner, serverId, (server) => server.status === wanted, timeoutMs);
  const running = async (changes: Parameters<Fixture['installed']>[0] = {}) => {
    const server = await fixture.installed(changes);
    await power(server.id, START);
    await status(server.id, Server_Status.RUNNING);
    return server.id;
  };
  const command = (serverId: string, text: string) => fixture.owner.console.sendCommand({ serverId, command: text });

  const filesAreLost = 'the files of this server are not on its node: nothing is started in their place';
  const loseFiles = (serverId: string) => {
    const volume = path.join(fixture.harness.filesDirectory, 'servers', serverId);
    renameSync(volume, `${volume}.away`);
    return () => renameSync(`${volume}.away`, volume);
  };

  it('answers power actions as the transition table defines', async () => {
    const { id } = await fixture.installed();
    expect(await reasonOf(power(id, STOP))).to.equal('ALREADY_OFFLINE');
    await power(id, KILL);
    await status(id, Server_Status.OFFLINE);
    await onceUnlocked(() => power(id, START));
    await status(id, Server_Status.RUNNING);
    expect(await reasonOf(power(id, START))).to.equal('ALREADY_RUNNING');
    await command(id, 'hang');
    await power(id, STOP);
    for (const action of [START, STOP, RESTART]) expect(await reasonOf(power(id, action))).to.equal('SERVER_LOCKED');
    await power(id, KILL);
    await status(id, Server_Status.OFFLINE);
    expect(await fieldsOf(power(id, PowerAction.UNSPECIFIED))).to.deep.equal(['action']);
  });

  it('finds power actions by their ids: done, overtaken, failed, and unknown', async () => {
    const { id } = await fixture.installed();
    const operation = async (operationId: string) =>
      (await fixture.owner.console.getPowerOperation({ serverId: id, operationId })).operation;
    const done = async (operationId: string) => {
      return waitUntil('the end of the action', async () => {
        const found = await operation(operationId);
        return found?.state !== PowerOperation_State.IN_PROGRESS && found;
      });
    };
    const started = await power(id, START);
    expect(await done(started.operationId)).to.include({
      action: START,
      state: PowerOperation_State.COMPLETED,
      error: '',
    });
    await status(id, Server_Status.RUNNING);
    await command(id, 'hang');
    const stopped = await power(id, STOP);
    expect(await operation(stopped.operationId)).to.include({ state: PowerOperation_State.IN_PROGRESS });
    const killed = await power(id, KILL);
    expect((await done(stopped.operationId))?.state).to.equal(PowerOperation_State.SUPERSEDED);
    const kill = await done(killed.operationId);
    expect(kill).to.include({ action: KILL, state: PowerOperation_State.COMPLETED });
    expect(kill?.endTime?.getTime()).to.be.at.least(kill?.startTime?.getTime() ?? Infinity);
    const putBack = loseFiles(id);
    const lost = await onceUnlocked(() => power(id, START));
    expect(await done(lost.operationId)).to.include({ state: PowerOperation_State.FAILED, error: filesAreLost });
    putBack();
    expect(await reasonOf(operation('11111111-1111-4111-8111-111111111111'))).to.equal('POWER_OPERATION_NOT_FOUND');
    const { console: foreign } = fixture.harness.clients(userActor(randomUUID()), fixture.harness.address);
    const { operationId } = killed;
    expect(await reasonOf(foreign.getPowerOperation({ serverId: id, operationId }))).to.equal('SERVER_NOT_FOUND');
  });

  it('refuses power actions during installation', async () => {
    const scripts = { installation: { script: 'sleep 1.5', container: 'a', entrypoint: 'sh' } };
    const { egg } = await fixture.admin.eggs.importEgg({
      content: eggBytes({ scripts }),
      format: ImportEggRequest_Format.JSON,
      nestId: '',
    });
    const { id } = await fixture.createServer({ eggId: egg?.id ?? '' });
    const reasons = await allReasons([START, STOP, RESTART, KILL].map((action) => power(id, action)));
    expect(reasons).to.deep.equal(['SERVER_LOCKED']);
  });

  it('kills a game that exceeds its stop grace', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.until(({ states }) => states.length > 0);
    await command(id, 'hang');
    await power(id, STOP);
    await status(id, Server_Status.OFFLINE, 8_000);
    await watching.until(({ lines }) => lines.some((line) => line.includes('did not stop within 3 s')));
    await watching.stop();
  });

  it('stops a game by a signal when the egg defines one', async () => {
    const signalled = await createFixture({
      egg: {
        startup: `sh -c 'trap "echo interrupted; exit 0" INT; echo ready to play; while :; do sleep 0.05; done'`,
        config: { files: '{}', startup: '{"done":"regex:^ready to (play|go)$"}', logs: '{}', stop: '^C' },
      },
    });
    try {
      const { id } = await signalled.installed();
      const watching = new ConsoleWatcher(signalled.owner, id);
      await watching.until(({ states }) => states.length > 0);
      await signalled.owner.console.sendPowerAction({ serverId: id, action: START });
      await watching.until(({ states }) => states.includes('POWER_STATE_RUNNING'));
      await signalled.owner.console.sendPowerAction({ serverId: id, action: STOP });
      await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_OFFLINE');
      expect(watching.lines).to.include('interrupted');
      await watching.stop();
    } finally {
      await signalled.stop();
    }
  });

  it('stops a server as soon as it is running', async () => {
    const { id } = await fixture.installed();
    for (let round = 0; round < 5; round++) {
      await power(id, START);
      await status(id, Server_Status.RUNNING);
      await power(id, STOP);
      await status(id, Server_Status.OFFLINE);
    }
  });

  it('restarts a game into a new generation', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    await power(id, RESTART);
    await watching.until(({ states }) => states.slice(1).includes('POWER_STATE_RUNNING'));
    expect(watching.states.slice(1)).to.deep.equal([
      'POWER_STATE_STOPPING',
      'POWER_STATE_STARTING',
      'POWER_STATE_RUNNING',
    ]);
    expect(watching.lines.filter((line) => line === 'ready to play')).to.have.length(2);
    expect(watching.sequences).to.deep.equal(watching.sequences.map((_, at) => (watching.sequences[0] ?? 0) + at));
    await watching.stop();
  });

  it('cancels a restart by kill', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    await command(id, 'hang');
    await power(id, RESTART);
    await power(id, KILL);
    await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_OFFLINE');
    // A continued restart would start the game, or kill this one after its grace.
    await power(id, START);
    await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_RUNNING');
    const graceEnds = performance.now() + 3_500;
    for (let round = 1; performance.now() < graceEnds; round += 1) {
      await command(id, `still here ${round}`);
      await watching.untilLine(`echo: still here ${round}`);
    }
    expect(watching.states.slice(1)).to.deep.equal([
      'POWER_STATE_STOPPING',
      'POWER_STATE_OFFLINE',
      'POWER_STATE_STARTING',
      'POWER_STATE_RUNNING',
    ]);
    expect(watching.lines.filter((line) => line === 'ready to play')).to.have.length(2);
    await watching.stop();
  });

  it('accepts one of 50 concurrent starts and runs one game', async () => {
    const { id } = await fixture.installed();
    const watching = new ConsoleWatcher(fixture.owner, id);
    const reasons = await Promise.all(Array.from({ length: 50 }, () => reasonOf(power(id, START))));
    expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
    for (const reason of reasons) expect(['none', 'SERVER_LOCKED', 'ALREADY_RUNNING']).to.include(reason);
    await status(id, Server_Status.RUNNING);
    await watching.untilLine('ready to play');
    expect(watching.lines.filter((line) => line === 'ready to play')).to.have.length(1);
    await watching.stop();
  });

  it('reaches a consistent state after 50 mixed actions', async () => {
    const id = await running();
    const actions = Array.from({ length: 50 }, (_, at) => [START, STOP, RESTART, KILL][at % 4] ?? KILL);
    const reasons = await Promise.all(actions.map((action) => reasonOf(power(id, action))));
    for (const reason of reasons) {
      expect(['none', 'SERVER_LOCKED', 'ALREADY_RUNNING', 'ALREADY_OFFLINE']).to.include(reason);
    }
    await waitForServer(
      fixture.owner,
      id,
      ({ status: now }) => now === Server_Status.OFFLINE || now === Server_Status.RUNNING,
    );
    await power(id, KILL);
    await status(id, Server_Status.OFFLINE);
    await onceUnlocked(() => power(id, START));
    await status(id, Server_Status.RUNNING);
    await onceUnlocked(() => power(id, STOP));
    await status(id, Server_Status.OFFLINE);
  });

  it('restarts a crashed game and gives up after repeated crashes', async () => {
    const id = await running();
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('ready to play');
    for (let crash = 1; crash <= 3; crash++) {
      await command(id, 'crash');
      await watching.until(({ lines }) => lines.filter((line) => line === 'ready to play').length === crash + 1);
      await status(id, Server_Status.RUNNING);
    }
    await command(id, 'crash');
    await watching.until(({ lines }) => lines.some((line) => line.includes('too many crashes')));
    await status(id, Server_Status.OFFLINE);
    expect(watching.lines.filter((line) => line.includes('exit code 3'))).to.have.length(4);
    // A user may restart it.
    await power(id, START);
    await status(id, Server_Status.RUNNING);
    await watching.stop();
  });

  it('reports running after START_TIMEOUT when no done line appears', async () => {
    const quiet = await createFixture({
      environment: { START_TIMEOUT: '1s', RECONCILE_INTERVAL: '500ms' },
      egg: { ...gameEgg, config: { files: '{}', startup: '{"done":"never printed"}', logs: '{}', stop: 'stop' } },
    });
    try {
      const { id } = await quiet.installed();
      await quiet.owner.console.sendPowerAction({ serverId: id, action: START });
      await waitForServer(quiet.owner, id, ({ status: now }) => now === Server_Status.STARTING);
      const watching = new ConsoleWatcher(quiet.owner, id);
      await waitForServer(quiet.owner, id, ({ status: now }) => now === Server_Status.RUNNING);
      await watching.untilLine(
        '[Panel] the server has not reported that it is ready within 1 s (START_TIMEOUT): it counts as running now',
      );
      await watching.stop();
    } finally {
      await quiet.stop();
    }
  });

  it('treats a typed stop command as a stop', async () => {
    const id = await running();
    await command(id, 'stop');
    await status(id, Server_Status.OFFLINE);
    const watching = new ConsoleWatcher(fixture.owner, id);
    await fixture.harness.jobRuns('start-wanted-servers', 2);
    await watching.until(({ states }) => states.length > 0);
    expect(watching.states).to.deep.equal(['POWER_STATE_OFFLINE']);
    await watching.stop();
  });

  it('returns to offline with the reason on the console when a start fails', async () => {
    const { id } = await fixture.installed();
    const watching = new ConsoleWatcher(fixture.owner, id);
    const putBack = loseFiles(id);
    await power(id, START);
    await watching.until(({ lines }) => lines.some((line) => line.includes(`start failed: ${filesAreLost}`)));
    await status(id, Server_Status.OFFLINE);
    putBack();
    await power(id, START);
    await status(id, Server_Status.RUNNING);
    await watching.stop();
  });

  it('refuses to start above the disk limit', async () => {
    const { id } = await fixture.installed();
    const watching = new ConsoleWatcher(fixture.owner, id);
    fixture.harness.fakes.usedBytes = 101 * 1024 * 1024;
    try {
      await power(id, START);
      await watching.until(({ lines }) => lines.some((line) => line.includes('more than the 100 MB')));
      await status(id, Server_Status.OFFLINE);
    } finally {
      fixture.harness.fakes.usedBytes = 0;
    }
    await watching.stop();
  });

  it('requires control permissions for actions and read permissions for reading', async () => {
    const id = await running();
    const viewer = fixture.harness.clients(
      userActor('77777777-7777-4777-8777-777777777777', ['servers.view']),
      fixture.harness.address,
    );
    expect(await reasonOf(viewer.console.sendPowerAction({ serverId: id, action: KILL }))).to.equal('SERVER_FORBIDDEN');
    expect(await reasonOf(viewer.console.sendCommand({ serverId: id, command: 'stop' }))).to.equal('SERVER_FORBIDDEN');
    expect(await reasonOf(viewer.servers.grantFileAccess({ serverId: id, permission: 'file.update' }))).to.equal(
      'SERVER_FORBIDDEN',
    );
    expect((await viewer.console.getResources({ serverId: id })).resources?.state).to.equal('POWER_STATE_RUNNING');
    const watching = new ConsoleWatcher(viewer, id);
    await watching.untilLine('ready to play');
    await watching.stop();
  });

  it('accepts commands of one line with 1 to 4096 characters', async () => {
    const id = await running();
    for (const bad of ['', 'a\nb', 'a\rb', '\u0003', 'x'.repeat(4097)]) {
      expect(await fieldsOf(command(id, bad))).to.deep.equal(['command']);
    }
    const watching = new ConsoleWatcher(fixture.owner, id);
    const long = `ä ${'x'.repeat(2000)} "quoted" $(id) {{GREETING}}`;
    await command(id, long);
    await watching.untilLine(`echo: ${long}`);
    await watching.stop();
  });
});
