import { expect } from 'chai';
import {
  PowerAction,
  RunSettings,
  RunSettings_AutoStart,
  Server_Status,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { userActor, type Clients } from '../support/harness.js';
import { createFixture, fieldsOf, type Fixture, waitForServer } from '../support/fixture.js';

/** Prints its time zone; ends by "stop", except after "hang". */
const script = [
  'echo "zone $TZ"',
  'echo ready to play',
  'while read -r word; do [ "$word" = hang ] && trap "" TERM && slow=1; [ "$word" = stop ] && [ -z "$slow" ] && exit 0; done',
].join('\n');
const egg = { startup: `sh -c '${script}'` };

describe('run settings of a server', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await createFixture({ egg, environment: { GAMES_ON_SHUTDOWN: 'stop' } });
  });
  afterEach(() => fixture.stop());

  const update = (serverId: string, changes: Partial<RunSettings>) =>
    fixture.admin.servers.updateServer(
      UpdateServerRequest.create({ serverId, runSettings: RunSettings.create(changes) }),
    );
  const status = (clients: Clients, id: string, wanted: Server_Status) =>
    waitForServer(clients, id, (server) => server.status === wanted);
  const power = (id: string, action: PowerAction) => fixture.owner.console.sendPowerAction({ serverId: id, action });

  it('sets run settings at creation, changes them one by one, shows them to staff and checks them', async () => {
    const runSettings = RunSettings.create({ threads: '0', timezone: 'Asia/Tokyo', stopGraceSeconds: 30 });
    const { id } = await fixture.installed({ runSettings });
    const { server } = await update(id, { autoStart: RunSettings_AutoStart.NEVER, timezone: '', oomDisabled: true });
    expect(server?.runSettings).to.deep.equal({
      autoStart: RunSettings_AutoStart.NEVER,
      timezone: '',
      threads: '0',
      oomDisabled: true,
      stopGraceSeconds: 30,
    });
    const { server: own } = await fixture.owner.servers.getServer({ serverId: id, asStaff: false });
    expect(own?.runSettings).to.equal(undefined);
    expect(await fieldsOf(update(id, { threads: '3-1' }))).to.deep.equal(['threads']);
    expect(await fieldsOf(update(id, { timezone: 'Mars/Base', stopGraceSeconds: -1 }))).to.have.members([
      'timezone',
      'stop_grace',
    ]);
    expect(await fieldsOf(fixture.createServer({ runSettings: RunSettings.create({ threads: 'x' }) }))).to.deep.equal([
      'threads',
    ]);
  });

  it('gives the game its time zone from the next start', async () => {
    const { id } = await fixture.installed({ runSettings: RunSettings.create({ timezone: 'Asia/Tokyo' }) });
    await power(id, PowerAction.START);
    const watching = new ConsoleWatcher(fixture.owner, id);
    await watching.untilLine('zone Asia/Tokyo');
    await status(fixture.owner, id, Server_Status.RUNNING);
    const { restartNeeded } = await update(id, { timezone: 'Europe/Berlin' });
    expect(restartNeeded).to.equal(true);
    await power(id, PowerAction.RESTART);
    await watching.untilLine('zone Europe/Berlin');
    await watching.stop();
  });

  it('waits for a slow stop as long as the server says, reports it on the console, and lets kill end it at once', async () => {
    const { id } = await fixture.installed({ runSettings: RunSettings.create({ stopGraceSeconds: 3_600 }) });
    await power(id, PowerAction.START);
    await status(fixture.owner, id, Server_Status.RUNNING);
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    const watching = new ConsoleWatcher(fixture.owner, id);
    await power(id, PowerAction.STOP);
    await watching.untilLine(
      '[Panel] the command "stop" was sent: waiting up to 60 min for the server to save and end; kill ends it at once',
    );
    await power(id, PowerAction.KILL);
    await status(fixture.owner, id, Server_Status.OFFLINE);
    // A change applies to the next stop.
    await update(id, { stopGraceSeconds: 1 });
    await power(id, PowerAction.START);
    await status(fixture.owner, id, Server_Status.RUNNING);
    await fixture.owner.console.sendCommand({ serverId: id, command: 'hang' });
    await power(id, PowerAction.STOP);
    await watching.untilLine('[Panel] the server did not stop within 1 s and is killed');
    await status(fixture.owner, id, Server_Status.OFFLINE);
    await watching.stop();
  });

  it('starts a stopped server with the panel when always, one that ran unless stopped, and none when never', async () => {
    const made = async (autoStart: RunSettings_AutoStart, runs: boolean) => {
      const { id } = await fixture.installed({ runSettings: RunSettings.create({ autoStart }) });
      await power(id, PowerAction.START);
      await status(fixture.owner, id, Server_Status.RUNNING);
      if (runs) return id;
      await power(id, PowerAction.STOP);
      await status(fixture.owner, id, Server_Status.OFFLINE);
      return id;
    };
    const always = await made(RunSettings_AutoStart.ALWAYS, false);
    const ran = await made(RunSettings_AutoStart.UNLESS_STOPPED, true);
    const stopped = await made(RunSettings_AutoStart.UNLESS_STOPPED, false);
    const never = await made(RunSettings_AutoStart.NEVER, true);
    await fixture.harness.stopReplica();
    const address = await fixture.harness.startReplica({ GAMES_ON_SHUTDOWN: 'stop' });
    const owner = fixture.harness.clients(userActor(fixture.ownerId), address);
    await status(owner, always, Server_Status.RUNNING);
    await status(owner, ran, Server_Status.RUNNING);
    for (const id of [stopped, never]) {
      const { server } = await owner.servers.getServer({ serverId: id, asStaff: false });
      expect(server?.status).to.equal(Server_Status.OFFLINE);
    }
  });
});
