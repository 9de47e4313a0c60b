import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@panel/kit/process';
import type { InstanceStats } from '@panel/runtime';
import { serviceActor } from '@panel/rpc';
import { expect } from 'chai';
import type { PowerState } from '../../src/domain/servers/server.js';
import { type ConsoleEvent, type Resources, resourcesOf } from '../../src/console/console-events.js';
import { ResourceMeter } from '../../src/console/resource-meter.js';
import { ServerConsole } from '../../src/console/server-console.js';

const log = createLogger({ service: 'test', level: 'silent' });
const unused = () => undefined;

class FakeRuntime {
  readonly #wake: (() => void)[] = [];
  readonly #samples: InstanceStats[] = [];
  readers = 0;

  measure(generation: number, uptimeMs: number): void {
    const usage = { cpuPercent: 5, memoryBytes: 1, memoryLimitBytes: 2, networkRxBytes: 0, networkTxBytes: 0 };
    this.#samples.push({ generation, uptimeMs, at: new Date(), ...usage });
    for (const wake of this.#wake.splice(0)) wake();
  }

  async *readStats(_: string, signal: AbortSignal): AsyncGenerator<InstanceStats> {
    this.readers += 1;
    for (let next = this.#samples.length; !signal.aborted;) {
      const sample = this.#samples[next];
      if (sample) {
        next += 1;
        yield sample;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    }
    this.readers -= 1;
  }
}

function serverOf(state: PowerState, generation: number) {
  return { id: 's', userId: 'owner', suspended: false, power: { state, generation } };
}

describe('usage of a server', () => {
  let runtime: FakeRuntime;
  let published: [generation: number, uptimeMs: number][];
  let meter: ResourceMeter;
  const node = {} as never;
  beforeEach(() => {
    runtime = new FakeRuntime();
    published = [];
    meter = new ResourceMeter(
      log,
      { freshUsage: () => 7, usage: async () => 7, usageSoon: () => 7 } as never,
      { of: () => runtime } as never,
      (_, generation, { stats }) => void published.push([generation, stats?.uptimeMs ?? 0]),
    );
  });
  afterEach(() => meter.stop());

  it('shows the usage of the current run, although the engine still measures the run before', async () => {
    meter.want(serverOf('running', 1), node);
    runtime.measure(1, 60_000);
    expect((await meter.read(serverOf('running', 1), async () => node)).stats?.uptimeMs).to.equal(60_000);
    const restarted = serverOf('starting', 2);
    meter.observe(restarted);
    const reading = meter.read(restarted, async () => node);
    await setImmediate();
    runtime.measure(1, 61_000);
    runtime.measure(2, 50);
    expect((await reading).stats?.uptimeMs).to.equal(50);
    expect(published).to.deep.equal([
      [1, 60_000],
      [2, 50],
    ]);
    expect(runtime.readers).to.equal(1);
  });

  it('shows no usage when nothing but the run before has been measured', async () => {
    meter.want(serverOf('running', 2), node);
    runtime.measure(2, 800);
    expect((await meter.read(serverOf('running', 2), async () => node)).stats?.uptimeMs).to.equal(800);
    const restarted = serverOf('starting', 3);
    meter.observe(restarted);
    const reading = meter.read(restarted, async () => node);
    await setImmediate();
    runtime.measure(2, 900);
    expect((await reading).stats).to.equal(null);
  });
});

describe('usage on a console', () => {
  const power = { state: 'running' as PowerState, generation: 1, changedAt: new Date(1) };
  const server = (state: PowerState, generation: number) =>
    ({ power: { ...power, state, generation, changedAt: new Date(generation) }, suspended: false }) as never;
  const usage = { cpuPercent: 5, memoryBytes: 1, memoryLimitBytes: 2, networkRxBytes: 0, networkTxBytes: 0 };
  const first = (uptimeMs: number): Resources =>
    resourcesOf(serverOf('running', 1), { generation: 1, uptimeMs, at: new Date(), ...usage }, 7);

  it('shows no usage of the run before a restart to those who come, nor late to those who watch', async () => {
    const console = new ServerConsole('s', log, unused);
    console.observe(server('running', 1));
    console.stats(1, first(60_000));
    console.observe(server('starting', 2));
    const watcher = console.subscribe(serviceActor('test'), server('starting', 2), 10, []);
    console.stats(1, first(61_000));
    console.stats(2, first(50));
    watcher.end('deleted');
    const seen: ConsoleEvent[] = [];
    for await (const events of watcher.batches(new AbortController().signal)) seen.push(...events);
    const uptimes = seen.flatMap((event) => (event.kind === 'stats' ? [event.resources.stats?.uptimeMs] : []));
    expect(uptimes).to.deep.equal([50]);
  });
});
