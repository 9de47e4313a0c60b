import { expect } from 'chai';
import { engineUrl, Registry, testDocker } from '@panel/testing/engine';
import { createDockerRuntime } from '../src/docker/docker-runtime.js';
import { Fixture, type Subject } from './fixture.js';

/** Of this machine, in the words of images. */
const own = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
const foreign = own === 'amd64' ? 'arm64' : 'amd64';

/** Images of another processor: an engine would start their games, which end at once. */
export function dockerPlatforms(subject: Subject, panelId: string): void {
  describe('images of other platforms', () => {
    const docker = testDocker();
    const emulating = createDockerRuntime({ url: engineUrl, panelId, emulatedPlatforms: [`linux/${foreign}`] });
    let fixture: Fixture;
    let registry: Registry;
    /** On the node already. */
    let name = '';
    const pulled: string[] = [];
    before(async () => {
      registry = await Registry.start();
      name = registry.publish('foreign', [foreign]);
      const answer = await docker.createImage({ fromImage: name, platform: `linux/${foreign}` });
      await new Promise((resolve) => docker.modem.followProgress(answer, resolve));
      pulled.push(name);
    });
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());
    after(async () => {
      for (const each of pulled) await docker.getImage(each).remove({ force: true });
      registry.stop();
      await emulating.close();
    });

    const refusal = () => ({
      reason: 'IMAGE_WRONG_PLATFORM',
      message: `the image ${name} is made for linux/${foreign}, and this node runs linux/${own}: choose an image or a node that fits`,
      metadata: { image: name, platform: `linux/${foreign}`, node_platform: `linux/${own}` },
    });
    const caught = async (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: unknown) => error,
      );

    it('refuses a game before anything is made', async () => {
      const spec = fixture.spec('echo never', { image: `~${name}` });
      expect(await caught(fixture.runtime.create(spec))).to.deep.include(refusal());
      expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
    });

    it('refuses an installation', async () => {
      const spec = fixture.install('echo never', { image: `~${name}` });
      const work = fixture.runtime.install(spec, () => undefined, new AbortController().signal);
      expect(await caught(work)).to.deep.include(refusal());
    });

    it('takes one that the node emulates', async () => {
      const spec = fixture.spec('echo made', { image: `~${name}` });
      await emulating.create(spec);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'created' });
    });

    it('pulls the image of its own platform from a list of several', async () => {
      const image = registry.publish('several', [foreign, own ?? '']);
      await fixture.runtime.create(fixture.spec('echo made', { image }));
      pulled.push(image);
      expect((await docker.getImage(image).inspect()).Architecture).to.equal(own);
    });

    it('refuses an image that the registry has for other platforms only', async () => {
      const image = registry.publish('others', [foreign]);
      const error = await caught(fixture.runtime.create(fixture.spec('echo never', { image })));
      expect(error).to.deep.include({
        reason: 'IMAGE_WRONG_PLATFORM',
        message: `the image ${image} is made for other processors, and this node runs linux/${own}: choose an image or a node that fits`,
      });
    });

    it('pulls one of a platform that the node emulates', async () => {
      const image = registry.publish('emulated', [foreign]);
      await emulating.create(fixture.spec('echo made', { image }));
      pulled.push(image);
      expect((await docker.getImage(image).inspect()).Architecture).to.equal(foreign);
    });
  });
}
