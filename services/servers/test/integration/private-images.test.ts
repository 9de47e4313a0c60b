import { randomUUID } from 'node:crypto';
import { type CreateRegistryRequest, ImportEggRequest_Format, PowerAction } from '@panel/protos/servers';
import { engineMissing, engineUrl, Registry, removeContainersBelow, testDocker } from '@panel/testing/engine';
import { connectMongo } from '@panel/kit/mongo';
import { expect } from 'chai';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, fieldsOf, type Fixture, gameEgg } from '../support/fixture.js';

const own = process.arch === 'arm64' ? 'arm64' : 'amd64';
const ofEgg = { username: 'of-egg', password: 'pass-4711', identityToken: 'token-4711' };
const ofAll = { username: 'of-all', password: 'pass-4712' };

describe('images of a registry that wants credentials', function () {
  this.timeout(120_000);
  let registry: Registry;
  let fixture: Fixture;
  const published: string[] = [];

  before(async function () {
    const missing = await engineMissing();
    if (missing !== null && process.env.CI) throw new Error(missing);
    if (missing !== null) this.skip();
    registry = await Registry.start({ scheme: 'token', accounts: [ofEgg, ofAll] });
    fixture = await createFixture({ engineUrl, environment: { CRASH_MAX_RESTARTS: '0' } });
  });
  afterEach(async () => {
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    await mongo.collection('registries').deleteMany({});
    await mongo.close();
    registry.readers.length = 0;
  });
  after(async () => {
    await fixture?.stop();
    if (fixture) await removeContainersBelow(fixture.harness.filesDirectory);
    const docker = testDocker();
    const present = new Set((await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []));
    for (const image of published) if (present.has(image)) await docker.getImage(image).remove({ force: true });
    registry?.stop();
  });

  const publish = () => {
    const image = registry.publish(randomUUID(), [own]);
    published.push(image);
    return image;
  };
  /** It installs and runs in this image, which holds no shell. */
  const newEgg = async (image: string) => {
    const installation = { ...gameEgg.scripts.installation, container: image };
    const content = eggBytes({ ...gameEgg, docker_images: { Game: image }, scripts: { installation } });
    const format = ImportEggRequest_Format.JSON;
    return (await fixture.admin.eggs.importEgg({ content, format, nestId: '' })).egg?.id ?? '';
  };
  const add = async (login: Partial<CreateRegistryRequest>, eggId = '') => {
    await fixture.admin.registries.createRegistry({ host: registry.address, eggId, ...login });
  };
  const readers = () => [...new Set(registry.readers.splice(0))];
  /** The console of the first start, which ends at once. */
  const start = async (eggId: string) => {
    const { id: serverId } = await fixture.installed({ eggId, skipScripts: true });
    const watcher = new ConsoleWatcher(fixture.owner, serverId);
    await fixture.owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await watcher.until(({ lines }) => lines.some((line) => /start failed|it stays offline/.test(line)));
    await watcher.stop();
    return watcher.lines.join('\n');
  };

  it('installs with the credentials of the egg, else with those for all eggs', async () => {
    const image = publish();
    const [first, second] = [await newEgg(image), await newEgg(image)];
    await add({ username: ofEgg.username, identityToken: ofEgg.identityToken }, first);
    await add(ofAll);
    const { installError } = await fixture.installed({ eggId: first });
    expect(installError).not.to.include('could not get the image');
    expect(readers()).to.deep.equal(['of-egg']);
    await fixture.installed({ eggId: second });
    expect(readers()).to.deep.equal(['of-all']);
  });

  it('starts with the credentials of the egg, else with those for all eggs', async () => {
    const image = publish();
    const [first, second] = [await newEgg(image), await newEgg(image)];
    await add({ username: ofEgg.username, password: ofEgg.password }, first);
    await add(ofAll);
    expect(await start(first)).not.to.include('could not get the image');
    expect(readers()).to.deep.equal(['of-egg']);
    await start(second);
    expect(readers()).to.deep.equal(['of-all']);
  });

  it('says that the registry refused the credentials, without the secret', async () => {
    const image = publish();
    const eggId = await newEgg(image);
    await add(ofAll);
    await add({ username: 'of-egg', password: 'not-4711' }, eggId);
    const words = `could not get the image ${image} (the registry ${registry.address} refused the credentials)`;
    expect((await fixture.installed({ eggId })).installError).to.equal(words);
    const lines = await start(eggId);
    expect(lines).to.include(`start failed: ${words}`);
    expect(lines).not.to.include('not-4711');
    expect(readers()).to.deep.equal([]);
  });

  it('says that the registry wants credentials where it has none', async () => {
    const image = publish();
    const words = `the registry ${registry.address} wants credentials: an administrator can add them`;
    const { installError } = await fixture.installed({ eggId: await newEgg(image) });
    expect(installError).to.equal(`could not get the image ${image} (${words})`);
  });

  it('lets customers choose no image on the node that another egg has pulled', async () => {
    const image = publish();
    const eggId = await newEgg(image);
    await add({ username: ofEgg.username, password: ofEgg.password }, eggId);
    await start(eggId);
    const { id: serverId } = await fixture.installed({ skipScripts: true });
    for (const dockerImage of [image, `~${image}`]) {
      const chosen = fixture.owner.servers.updateStartup({ serverId, environment: {}, dockerImage });
      expect(await fieldsOf(chosen), dockerImage).to.deep.equal(['docker_image']);
    }
  });
});
