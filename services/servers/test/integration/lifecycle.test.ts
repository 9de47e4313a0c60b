import { expect } from 'chai';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';

describe('lifecycle of a server', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture();
  });
  after(() => fixture.stop());

  it('runs from creation to a clean stop', async () => {
    const { owner } = fixture;
    const created = await fixture.createServer();
    expect(created.status).to.equal(Server_Status.INSTALLING);
    const watching = new ConsoleWatcher(owner, created.id);
    await waitForServer(owner, created.id, ({ operation }) => operation === undefined);
    await watching.until(({ installLines }) => installLines.includes('installed'));
    expect(watching.installLines).to.include('installing hello');

    await owner.console.sendPowerAction({ serverId: created.id, action: PowerAction.START });
    await watching.untilLine('ready to play');
    await watching.until(({ states }) => states.includes('POWER_STATE_RUNNING'));
    await owner.console.sendCommand({ serverId: created.id, command: 'hello there' });
    await watching.untilLine('echo: hello there');
    const { resources } = await owner.console.getResources({ serverId: created.id });
    expect(resources?.memoryBytes).to.be.greaterThan(0);
    expect(resources?.state).to.equal('POWER_STATE_RUNNING');
    await owner.console.sendPowerAction({ serverId: created.id, action: PowerAction.STOP });
    await watching.until(({ states }) => states.at(-1) === 'POWER_STATE_OFFLINE');
    expect(watching.lines).to.include('bye');
    expect(watching.states).to.deep.equal([
      'POWER_STATE_OFFLINE',
      'POWER_STATE_STARTING',
      'POWER_STATE_RUNNING',
      'POWER_STATE_STOPPING',
      'POWER_STATE_OFFLINE',
    ]);
    expect(await reasonOf(owner.console.sendCommand({ serverId: created.id, command: 'x' }))).to.equal(
      'SERVER_OFFLINE',
    );
    await watching.stop();
  });
});
