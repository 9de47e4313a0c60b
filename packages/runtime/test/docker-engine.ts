import { expect } from 'chai';
import { createDockerRuntime } from '../src/docker/docker-runtime.js';
import type { Runtime } from '../src/runtime.js';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { read, readUntil, within } from '../src/testing/reading.js';
import { engineUrl, entrypointImageName, imageName, testDocker } from '@panel/testing/engine';

const forever = 'echo ready; while :; do sleep 0.1; done';

/** Resolves when the engine's last lines of a game contain these words. */
async function written(serverId: string, words: string): Promise<void> {
  const isWritten = async () => {
    const tail = await testDocker().getContainer(serverId).logs({ stdout: true, tail: 2 });
    return tail.includes(words);
  };
  await waitUntil(`"${words}" to be written`, isWritten, 60_000);
}

/** Cases of an engine only: images, foreign containers, interventions. */
export function dockerEngine(subject: Subject, panelId: string): void {
  describe('images', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('keeps the entrypoint of an image that reads STARTUP', async () => {
      const spec = await fixture.run('echo "port $PORT"', {
        image: `~${entrypointImageName}:1`,
        environment: { PORT: '1' },
      });
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal('entrypoint for: echo "port $PORT"\nport 1\n');
    });

    it('tolerates a failed pull when the image is on the node', async () => {
      const steps: string[] = [];
      const spec = fixture.spec('echo fine', { image: `${imageName}:1` });
      await fixture.runtime.create(spec, (step, detail) => steps.push(`${step} ${detail}`));
      expect(steps[0]).to.equal(`pull_image ${imageName}:1`);
      expect(steps).to.include(`use_local_image ${imageName}:1`);
      await fixture.runtime.start(spec.serverId);
      expect((await read(fixture.runtime, spec.serverId)).text).to.equal('fine\n');
    });

    it('names a missing image with the reason', async () => {
      const image = '127.0.0.1:1/panel-test/nowhere:1';
      const error: unknown = await fixture.runtime
        .create(fixture.spec(forever, { image }))
        .catch((caught: unknown) => caught);
      expect(error).to.deep.include({ reason: 'IMAGE_PULL_FAILED' });
      const { metadata } = error as { metadata: { image: string; reason: string } };
      expect(metadata.image).to.equal(image);
      expect(metadata.reason).to.include('127.0.0.1:1');
    });

    it('pulls no image that is marked as local', async () => {
      const steps: string[] = [];
      const spec = fixture.spec(forever, { image: '~panel-test/nowhere:1' });
      expect(await reasonOf(fixture.runtime.create(spec, (step) => steps.push(step)))).to.equal('IMAGE_PULL_FAILED');
      expect(steps).to.deep.equal([]);
      await fixture.runtime.create(fixture.spec(forever), (step) => steps.push(step));
      expect(steps).to.deep.equal(['create_container']);
    });
  });

  describe('shared engine', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('keeps containers of others unchanged and unlisted', async () => {
      const spec = fixture.spec(forever);
      const docker = testDocker();
      const foreign = await docker.createContainer({
        name: spec.serverId,
        Image: `${imageName}:1`,
        Cmd: ['sleep', '60'],
      });
      try {
        await foreign.start();
        expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
        const listed = (await fixture.runtime.list()).map(({ serverId }) => serverId);
        expect(listed).not.to.include(spec.serverId);
        await fixture.runtime.kill(spec.serverId);
        await fixture.runtime.remove(spec.serverId);
        expect(await reasonOf(fixture.runtime.create(spec))).to.equal('START_FAILED');
        expect(await reasonOf(fixture.runtime.start(spec.serverId))).to.equal('INSTANCE_NOT_FOUND');
        expect((await foreign.inspect()).State.Running).to.equal(true);
      } finally {
        await foreign.remove({ force: true });
      }
    });

    it('tells the instances of another installation from its own, and acts on one whose server it is asked for', async () => {
      const spec = await fixture.run(forever);
      const other = createDockerRuntime({ url: engineUrl, panelId: `other-${spec.serverId}` });
      const isForeign = async (runtime: Runtime) =>
        (await runtime.list()).find(({ serverId }) => serverId === spec.serverId)?.isForeign;
      try {
        expect([await isForeign(fixture.runtime), await isForeign(other)]).to.deep.equal([false, true]);
        expect(await other.inspect(spec.serverId)).to.include({ state: 'running', generation: 1 });
        expect(await reasonOf(other.create({ ...spec, generation: 2 }))).to.equal('INSTANCE_RUNNING');
        await other.kill(spec.serverId);
        await other.create({ ...spec, generation: 2 });
        expect([await isForeign(fixture.runtime), await isForeign(other)]).to.deep.equal([true, false]);
      } finally {
        await other.close();
      }
    });

    it('reports the host address that games use', async () => {
      const spec = await fixture.run('cat /proc/net/route');
      const { text } = await read(fixture.runtime, spec.serverId);
      const fields = text.split('\n').map((line) => line.split('\t'));
      const gateway = fields.find(([, destination]) => destination === '00000000')?.[2] ?? '';
      const address = Buffer.from(gateway, 'hex').toReversed().join('.');
      expect(await fixture.runtime.hostAddress()).to.equal(address);
    });

    it('reports containers that were removed, killed or paused by the operator', async () => {
      const spec = await fixture.run(forever);
      const container = testDocker().getContainer(spec.serverId);
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      await container.pause();
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running' });
      await container.unpause();
      await container.kill();
      await waitUntil('the end', async () => (await fixture.runtime.inspect(spec.serverId))?.state === 'exited');
      await container.remove();
      expect(await fixture.runtime.inspect(spec.serverId)).to.equal(null);
      await fixture.runtime.create(spec);
      await fixture.runtime.start(spec.serverId);
    });

    it('recognises a renamed container and starts no second one', async () => {
      const spec = await fixture.run('echo ready; while read l; do echo "got $l"; done');
      const name = `renamed-${spec.serverId}`;
      await testDocker().getContainer(spec.serverId).rename({ name });
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'running', generation: 1 });
      await fixture.runtime.writeInput(spec.serverId, 'hello\n');
      await readUntil(fixture.runtime, spec.serverId, 'got hello');
      expect(await reasonOf(fixture.runtime.create({ ...spec, generation: 2 }))).to.equal('INSTANCE_RUNNING');
      await fixture.runtime.kill(spec.serverId);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'exited' });
      await fixture.runtime.create({ ...spec, generation: 2 });
      await fixture.runtime.start(spec.serverId);
      const ofServer = (await fixture.runtime.list()).filter(({ serverId }) => serverId === spec.serverId);
      expect(ofServer.map(({ state, generation }) => [state, generation])).to.deep.equal([['running', 2]]);
      await testDocker().getContainer(spec.serverId).rename({ name });
      await fixture.runtime.remove(spec.serverId);
      const found = await testDocker().listContainers({ all: true, filters: { name: [spec.serverId] } });
      expect(found).to.deep.equal([]);
    });

    it('kills and removes a paused game', async () => {
      const spec = await fixture.run(forever);
      await testDocker().getContainer(spec.serverId).pause();
      await fixture.runtime.kill(spec.serverId);
      expect(await fixture.runtime.inspect(spec.serverId)).to.include({ state: 'exited' });
    });

    it('ends a reader when its container is removed', async () => {
      const spec = await fixture.run(forever);
      const reading = read(fixture.runtime, spec.serverId);
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      await testDocker().getContainer(spec.serverId).remove({ force: true });
      expect((await reading).ended).to.equal(true);
    });

    it('buffers 20 MB of output for a disconnected reader and reports a gap beyond', async function () {
      this.timeout(120_000);
      const print = (megabytes: number) => `yes "$(printf %01000d 0)" | head -n ${megabytes * 1000}`;
      const spec = await fixture.run(
        `echo before; read x; ${print(12)}; echo middle; read x; ${print(32)}; echo after; read x`,
      );
      const { cursor } = await readUntil(fixture.runtime, spec.serverId, 'before');
      const gapsUntil = async (wanted: string) => {
        await fixture.runtime.writeInput(spec.serverId, '\n');
        await written(spec.serverId, wanted);
        const abort = new AbortController();
        const gaps: number[] = [];
        let count = 0;
        const reading = (async () => {
          for await (const { data, isAfterGap } of fixture.runtime.readOutput(spec.serverId, {
            after: cursor,
            signal: abort.signal,
          })) {
            if (isAfterGap) gaps.push(count);
            count += 1;
            if (data.includes(wanted)) return;
          }
        })();
        await within(60_000, wanted, reading);
        abort.abort();
        return gaps;
      };
      expect(await gapsUntil('middle')).to.deep.equal([]);
      expect(await gapsUntil('after')).to.deep.equal([0]);
    });

    for (const { megabytes, isHeld } of [
      { megabytes: 24, isHeld: true },
      { megabytes: 60, isHeld: false },
    ]) {
      const what = isHeld ? 'loses nothing' : 'says where lines are missing';
      it(`${what} when a connected reader is ${megabytes} MB behind`, async function () {
        this.timeout(120_000);
        const print = `awk 'BEGIN { for (i = 1; i <= ${megabytes * 1000}; i++) printf "%d %0990d\\n", i, 0 }'`;
        const spec = await fixture.run(`echo before; read x; ${print}; echo after; read x`);
        const abort = new AbortController();
        const [missing, gaps]: [number[], number[]] = [[], []];
        let last = 0;
        const reading = (async () => {
          for await (const chunk of fixture.runtime.readOutput(spec.serverId, { signal: abort.signal })) {
            const text = chunk.data.toString('latin1');
            if (text.includes('after')) return;
            const number = Number.parseInt(text, 10);
            if (chunk.isAfterGap) gaps.push(number);
            if (number > last + 1) missing.push(number);
            if (number > last) last = number;
            if (!text.includes('before')) continue;
            await fixture.runtime.writeInput(spec.serverId, '\n');
            await written(spec.serverId, 'after');
          }
        })();
        await within(100_000, 'the end of the output', reading);
        abort.abort();
        expect(gaps).to.deep.equal(missing);
        expect(missing.length > 0).to.equal(!isHeld);
        expect(last).to.equal(megabytes * 1000);
      });
    }

    it('labels containers with their panel', async () => {
      const spec = await fixture.run(forever);
      const { Config } = await testDocker().getContainer(spec.serverId).inspect();
      expect(Config.Labels['panel.id']).to.equal(panelId);
    });
  });
}
