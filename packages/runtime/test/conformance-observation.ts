import { expect } from 'chai';
import type { InstanceStats } from '../src/runtime.js';
import { Fixture, type Subject } from './fixture.js';
import { realTime, reasonOf, waitUntil } from '@panel/kit/testing';
import { EventLog, read, readUntil, within } from '../src/testing/reading.js';

const forever = 'echo ready; while :; do sleep 0.1; done';

export function observationConformance(subject: Subject): void {
  describe('observation', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('lists instances in every state', async () => {
      const made = fixture.spec('true');
      await fixture.runtime.create(made);
      const running = await fixture.run(forever, { generation: 3 });
      const ended = await fixture.run('exit 4');
      await read(fixture.runtime, ended.serverId);
      const states = new Map((await fixture.runtime.list()).map((instance) => [instance.serverId, instance]));
      expect(states.get(made.serverId)).to.include({ state: 'created' });
      expect(states.get(running.serverId)).to.include({ state: 'running', generation: 3 });
      expect(states.get(ended.serverId)).to.include({ state: 'exited', exitCode: 4 });
      expect(await fixture.runtime.inspect('00000000-0000-4000-8000-000000000000')).to.equal(null);
    });

    it('reports starts and ends immediately, whatever caused them', async () => {
      const other = fixture.open();
      const log = new EventLog(other);
      const first = await fixture.run('read code; exit $code');
      expect(await log.next('started', first.serverId)).to.include({ type: 'started' });
      await fixture.runtime.writeInput(first.serverId, '5\n');
      expect(await log.next('exited', first.serverId)).to.include({ exitCode: 5, outOfMemory: false });
      const second = await fixture.run(forever);
      await log.next('started', second.serverId);
      await fixture.runtime.kill(second.serverId);
      expect(await log.next('exited', second.serverId)).to.include({ exitCode: 137, outOfMemory: false });
      const third = await fixture.run('true');
      await log.next('started', third.serverId);
      expect(await log.next('exited', third.serverId)).to.include({ exitCode: 0 });
      await log.stop();
      expect(log.failure).to.equal(null);
      expect(log.events).to.deep.equal([]);
    });

    it('reports all of twenty short runs', async () => {
      const log = new EventLog(fixture.open());
      const specs = [];
      for (let i = 0; i < 20; i += 1) specs.push(await fixture.run(`exit ${i}`));
      for (const [i, { serverId }] of specs.entries()) {
        await log.next('started', serverId);
        expect(await log.next('exited', serverId)).to.include({ exitCode: i });
      }
      await log.stop();
    }).timeout(240_000);

    it('samples a busy game about once a second until it ends', async () => {
      const spec = await fixture.run('read x & while :; do :; done');
      const samples: InstanceStats[] = [];
      const reading = (async () => {
        for await (const sample of fixture.runtime.readStats(spec.serverId, new AbortController().signal)) {
          samples.push(sample);
          if (samples.length === 4) await fixture.runtime.kill(spec.serverId);
        }
      })();
      await within(15_000, 'the end of the samples', reading);
      expect(samples.length).to.be.within(4, 6);
      const [first, , third, fourth] = samples as [InstanceStats, InstanceStats, InstanceStats, InstanceStats];
      expect(Math.max(...samples.map((sample) => sample.cpuPercent ?? 0))).to.be.within(5, 140);
      expect(third.memoryBytes).to.be.within(1024, 256 * 1024 * 1024);
      expect(third.memoryLimitBytes).to.be.above(third.memoryBytes);
      expect(fourth.uptimeMs - first.uptimeMs).to.be.within(1500, 8000);
      expect(fourth.at.getTime()).to.be.above(first.at.getTime());
      expect(first.networkRxBytes).to.be.at.least(0);
    });

    it('reports the usage of a busy game in the first sample', async () => {
      const spec = await fixture.run('echo ready; while :; do :; done');
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      const first = async () => {
        const abort = new AbortController();
        const asked = performance.now();
        for await (const sample of fixture.runtime.readStats(spec.serverId, abort.signal)) {
          const { cpuPercent } = sample;
          if (cpuPercent === null) continue;
          abort.abort();
          return { cpuPercent, afterMs: performance.now() - asked };
        }
        return null;
      };
      // An engine samples once a second, and two samples are needed.
      for (let tries = 3; ; tries -= 1) {
        const { cpuPercent = 0, afterMs = Infinity } = (await first()) ?? {};
        if (cpuPercent > 3 && cpuPercent < 140 && afterMs < 2_500) break;
        if (tries === 0) throw new Error(`after ${afterMs} ms it is said to use ${cpuPercent} percent`);
        await realTime(1_500, 'the game uses its processor');
      }
    });

    it('samples growing counters of a busy game at once, and nothing when it has ended', async () => {
      const spec = await fixture.run('echo ready; while :; do :; done');
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      const first = await fixture.runtime.sampleUsage(spec.serverId);
      if (!first) throw new Error('a running game has no usage');
      const second = await waitUntil('its use of the processor', async () => {
        const sample = await fixture.runtime.sampleUsage(spec.serverId);
        return sample && sample.cpuMs > first.cpuMs + 100 && sample;
      });
      const share = (second.cpuMs - first.cpuMs) / (second.at.getTime() - first.at.getTime());
      expect(share).to.be.within(0.03, 1.4);
      expect(second.memoryBytes).to.be.within(1024, 256 * 1024 * 1024);
      expect(second.networkRxBytes).to.be.at.least(first.networkRxBytes);
      await fixture.runtime.kill(spec.serverId);
      expect(await fixture.runtime.sampleUsage(spec.serverId)).to.equal(null);
    });

    it('says of which run the usage is', async () => {
      const spec = await fixture.run(forever);
      const runs: (string | undefined)[] = [];
      for (const generation of [1, 2]) {
        if (generation === 2) {
          await fixture.runtime.kill(spec.serverId);
          await fixture.runtime.create({ ...spec, generation });
          await fixture.runtime.start(spec.serverId);
        }
        const abort = new AbortController();
        for await (const sample of fixture.runtime.readStats(spec.serverId, abort.signal)) {
          expect(sample.generation).to.equal(generation);
          abort.abort();
        }
        runs.push((await fixture.runtime.sampleUsage(spec.serverId))?.run);
      }
      expect(runs[0]).to.be.a('string').that.is.not.oneOf(['', runs[1]]);
    });

    it('stops sampling on request and samples nothing without a run', async () => {
      const spec = await fixture.run(forever);
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of fixture.runtime.readStats(spec.serverId, abort.signal)) abort.abort();
      })();
      await within(5000, 'the end of the samples', reading);
      await fixture.runtime.kill(spec.serverId);
      let count = 0;
      for await (const _ of fixture.runtime.readStats(spec.serverId, new AbortController().signal)) count += 1;
      expect(count).to.equal(0);
    });

    it('reports no change of limits without a run', async () => {
      const spec = fixture.spec(forever);
      await fixture.runtime.create(spec);
      expect(await fixture.runtime.updateLimits(spec.serverId, spec.limits)).to.equal(false);
    });

    it('refuses limits out of range', async () => {
      const spec = await fixture.run(forever);
      const limits = { ...spec.limits, ioWeight: 5000 };
      expect(await reasonOf(fixture.runtime.updateLimits(spec.serverId, limits))).to.equal('INVALID_SPEC');
    });

    it('keeps games when it closes and adopts them in a new runtime', async () => {
      const spec = await fixture.run('echo ready; while read l; do echo "got $l"; [ "$l" = quit ] && exit 9; done');
      const before = await readUntil(fixture.runtime, spec.serverId, 'ready\n');
      await fixture.runtime.writeInput(spec.serverId, 'one\n');
      const { cursor } = await readUntil(fixture.runtime, spec.serverId, 'got one\n', before.cursor);
      await fixture.runtime.close();
      const next = fixture.open();
      expect(await next.inspect(spec.serverId)).to.include({ state: 'running' });
      await next.writeInput(spec.serverId, 'quit\n');
      const { text } = await read(next, spec.serverId, { after: cursor });
      expect(text).to.include('got quit').and.not.include('got one');
      await waitUntil('the end', async () => (await next.inspect(spec.serverId))?.state === 'exited');
      expect(await next.inspect(spec.serverId)).to.include({ exitCode: 9 });
    });
  });
}
