import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, expect, type Fixture, waitForServer } from '../support/fixture.js';
import { userActor, type Clients } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';

/** The test game echoes unknown lines as "echo: …". */
const features = [
  'backup_before:save-off',
  'backup_before:save-all flush',
  'backup_ready:echo: save-all flush',
  'backup_after:save-on',
];

describe('a game that saves by command', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  const processes: ServiceProcess[] = [];
  beforeEach(async () => (fixture = await createFixture({ egg: { features } })));
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.kill();
    await fixture.stop();
  });

  const running = async (): Promise<string> => {
    const { id } = await fixture.installed({ featureLimits: { databases: 0, backups: 3, allocations: 1 } });
    await fixture.admin.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    return id;
  };
  const create = async (serverId: string, clients: Clients = fixture.owner) =>
    clients.backups.createBackup({ serverId, name: '', ignoredFiles: [], rotate: false, databases: false });
  const echoes = (watcher: ConsoleWatcher) => watcher.lines.filter((line) => line.startsWith('echo: save'));

  it('stops saving of a game before a backup is made, and resumes it afterwards', async () => {
    const id = await running();
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.untilLine('ready to play');
    const { backups } = fixture.harness.fakes;
    backups.isHolding = true;
    await create(id);
    await waitForServer(fixture.owner, id, ({ operation }) => operation?.step === 'archive');
    expect(echoes(watcher)).to.deep.equal(['echo: save-off', 'echo: save-all flush']);
    backups.release();
    await watcher.untilLine('echo: save-on');
    await watcher.stop();
  });

  it('goes on saving when the backup has failed', async () => {
    const id = await running();
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.untilLine('ready to play');
    fixture.harness.fakes.backups.runFailure = new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'files was killed');
    await create(id);
    await watcher.untilLine('echo: save-on');
    fixture.harness.fakes.backups.runFailure = null;
    await waitForServer(fixture.owner, id, ({ operation }) => operation === undefined);
    await waitUntil('the game to save by itself again', () => echoes(watcher).at(-1) === 'echo: save-on', 30_000);
    await watcher.stop();
  });

  it('goes on saving after the servers service was killed while it did not', async () => {
    const id = await running();
    const { harness, ownerId } = fixture;
    await harness.stopReplica();
    const lease = { NODE_LEASE_TTL: '4s' };
    const first = await ServiceProcess.start(harness.environment({ ...lease, FAILPOINT: 'backup.paused:kill' }));
    processes.push(first);
    await create(id, harness.clients(userActor(ownerId), first.address)).catch((error: unknown) => error);
    await first.ended();
    const owner = harness.clients(userActor(ownerId), await harness.startReplica(lease));
    const watcher = await ConsoleWatcher.whenTaken(owner, id);
    await waitUntil('the end of the backup', () => echoes(watcher).at(-1) === 'echo: save-on', 30_000);
    await waitForServer(owner, id, ({ operation }) => operation === undefined);
    expect(echoes(watcher).at(-1)).to.equal('echo: save-on');
    await watcher.stop();
  });
});
