import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ImportEggRequest_Format, PowerAction, Server_Status } from '@panel/protos/servers';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, gameEgg, waitForServer, type Fixture } from '../support/fixture.js';

const mebibyte = 1024 * 1024;
const endless = 'cd /mnt/server; echo partial > part; while :; do echo writing; sleep 0.1; done';

describe('disk limits', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ environment: { DISK_WATCH_INTERVAL: '100ms', NODE_MIN_FREE_DISK: '1000' } });
  });
  after(() => fixture.stop());
  beforeEach(() => {
    fixture.harness.fakes.usedBytes = 0;
    fixture.harness.fakes.transfers.freeBytes = 100_000 * mebibyte;
  });

  const eggWith = async (script: string, changes: Record<string, unknown> = {}) => {
    const installation = { script, container: 'debian:bookworm', entrypoint: 'sh' };
    const content = eggBytes({ ...gameEgg, scripts: { installation }, ...changes });
    const { egg } = await fixture.admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId: '' });
    return egg?.id ?? '';
  };
  const volumeOf = (serverId: string) => path.join(fixture.harness.filesDirectory, 'servers', serverId);
  const failed = (serverId: string) =>
    waitForServer(fixture.owner, serverId, ({ status }) => status === Server_Status.INSTALL_FAILED);

  it('stops an installation that exceeds the disk limit, reports it and removes the files', async () => {
    const { id } = await fixture.createServer({ eggId: await eggWith(endless) });
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await waitForServer(fixture.owner, id, () => existsSync(path.join(volumeOf(id), 'part')));
    fixture.harness.fakes.usedBytes = 200 * mebibyte;
    expect((await failed(id)).installError).to.equal('the files take 200 MB of the 100 MB of this server');
    expect(existsSync(volumeOf(id))).to.equal(false);
    await watcher.stop();
  });

  it('stops an installation that fills the disk of the node', async () => {
    const { id } = await fixture.createServer({ eggId: await eggWith(endless) });
    await waitForServer(fixture.owner, id, () => existsSync(path.join(volumeOf(id), 'part')));
    fixture.harness.fakes.transfers.freeBytes = 999 * mebibyte;
    expect((await failed(id)).installError).to.include('the disk of the node is almost full');
  });

  it('refuses to install on a node below its free-space floor', async () => {
    fixture.harness.fakes.transfers.freeBytes = 999 * mebibyte;
    const { id } = await fixture.createServer({ eggId: await eggWith('cd /mnt/server; echo made > part') });
    expect((await failed(id)).installError).to.include('the disk of the node is almost full');
    expect(existsSync(path.join(volumeOf(id), 'part'))).to.equal(false);
  });

  it('keeps the files of a server whose reinstallation failed', async () => {
    const eggId = await eggWith('cd /mnt/server; [ -e made ] && exit 3; echo made > made');
    const { id } = await fixture.installed({ eggId });
    await fixture.admin.servers.reinstallServer({ serverId: id });
    await failed(id);
    expect(existsSync(path.join(volumeOf(id), 'made'))).to.equal(true);
  });

  it('kills a starting game that exceeds the disk limit and reports it', async () => {
    const eggId = await eggWith(gameEgg.scripts.installation.script, {
      startup: 'while :; do sleep 1; done',
      config: { files: '{}', startup: '{"done":"never"}', logs: '{}', stop: 'stop' },
    });
    const { id } = await fixture.installed({ eggId });
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await watcher.until(({ states }) => states.length > 0);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.STARTING);
    fixture.harness.fakes.usedBytes = 300 * mebibyte;
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
    await watcher.until(({ lines }) => lines.some((line) => line.includes('300 MB of the 100 MB')));
    await watcher.stop();
  });
});
