import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { Server_Status } from '@panel/protos/servers';
import { engineMissing, engineUrl, Registry, testDocker } from '@panel/testing/engine';
import { expect } from 'chai';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, type Fixture, gameEgg, localImage } from '../support/fixture.js';

const foreign = process.arch === 'arm64' ? 'amd64' : 'arm64';

describe('images of another processor', function () {
  this.timeout(120_000);
  let registry: Registry;
  let image = '';
  let words = '';
  let fixture: Fixture | undefined;

  before(async function () {
    const missing = await engineMissing();
    if (missing !== null && process.env.CI) throw new Error(missing);
    if (missing !== null) this.skip();
    registry = await Registry.start();
    image = registry.publish('game', [foreign]);
    const docker = testDocker();
    const answer = await docker.createImage({ fromImage: image, platform: `linux/${foreign}` });
    await new Promise((resolve) => docker.modem.followProgress(answer, resolve));
    const own = (await docker.version()).Arch;
    words = `the image ${image} is made for linux/${foreign}, and this node runs linux/${own}: choose an image or a node that fits`;
  });
  afterEach(async () => fixture?.stop());
  after(async () => {
    if (image === '') return;
    await testDocker().getImage(image).remove({ force: true });
    registry.stop();
  });

  it('fails an installation at once, in words', async () => {
    const installation = { ...gameEgg.scripts.installation, container: `~${image}` };
    fixture = await createFixture({ engineUrl, egg: { scripts: { installation } } });
    const { id, installError } = await fixture.installed();
    expect(installError).to.equal(words);
    const failed = () =>
      [...(fixture?.harness.fakes.activity.values() ?? [])].find(
        ({ event, serverId }) => event === 'server:install.failed' && serverId === id,
      );
    await waitUntil('the activity', () => failed() !== undefined);
    expect(failed()?.properties).to.deep.equal({ error: words });
  });

  it('fails an automatic start for good, in words', async () => {
    fixture = await createFixture({ engineUrl, egg: { docker_images: { Shell: localImage, Other: `~${image}` } } });
    const server = await fixture.createServer({ dockerImage: `~${image}`, startOnCompletion: true });
    const watcher = new ConsoleWatcher(fixture.owner, server.id);
    await watcher.untilLine(`[Panel] start failed: ${words}`);
    await watcher.stop();
    const view = async () => (await fixture?.owner.servers.getServer({ serverId: server.id, asStaff: false }))?.server;
    await waitUntil('the end of the start', async () => (await view())?.status === Server_Status.OFFLINE);
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    const found = await mongo.collection<{ _id: string }>('servers').findOne({ _id: server.id });
    await mongo.close();
    expect(found).to.have.nested.property('power.desired', 'offline');
    expect(found).to.have.nested.property('crash.restartAt', null);
  });
});
