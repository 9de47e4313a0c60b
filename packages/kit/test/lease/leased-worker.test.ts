import { once } from 'node:events';
import { expect } from 'chai';
import { createJobs, createLogger, createMetrics, createTaskGroup, type TaskGroup } from '../../src/process/index.js';
import { type LeasedWork, LeasedWorker, type RunFailure } from '../../src/lease/index.js';
import { type Deferred, deferred, ManualClock } from '../../src/testing/index.js';

const log = createLogger({ service: 'test', level: 'silent' });

interface Claim {
  readonly id: string;
}

describe('leased worker', () => {
  let clock: ManualClock;
  let tasks: TaskGroup;
  let waiting: string[];
  let runs: Map<string, Deferred<void>>;
  let givenBack: [string, RunFailure][];
  let renewals: string[];
  let failures: () => Promise<number>;
  let worker: (work?: Partial<LeasedWork<Claim>>) => LeasedWorker<Claim>;
  beforeEach(() => {
    clock = new ManualClock();
    tasks = createTaskGroup(log);
    waiting = ['a', 'b', 'c', 'd'];
    runs = new Map();
    givenBack = [];
    renewals = [];
    const metrics = createMetrics('test');
    const jobs = createJobs({ log, metrics, clock: () => new Date() });
    failures = async () => {
      const text = await metrics.registry.metrics();
      return Number(/job_item_failures_total\{job="work"[^}]*\} (?<count>\d+)/u.exec(text)?.groups?.['count'] ?? 0);
    };
    worker = (work = {}) =>
      new LeasedWorker(
        {
          job: 'work',
          concurrency: 2,
          ttlMs: 3_000,
          waiting: async (limit) => waiting.slice(0, limit),
          claim: async (id) => {
            waiting = waiting.filter((other) => other !== id);
            return { id };
          },
          renew: async ({ id }) => {
            renewals.push(id);
            return true;
          },
          run: async ({ id }, { signal }) => {
            const run = deferred();
            runs.set(id, run);
            await Promise.race([run.promise, once(signal, 'abort').then(() => Promise.reject(signal.reason))]);
          },
          giveBack: async ({ id }, failure) => void givenBack.push([id, failure]),
          ...work,
        },
        { tasks, attempt: jobs.attempt.bind(jobs), log, clock },
      );
  });
  afterEach(async () => tasks.stop());
  const tick = async (ticking: LeasedWorker<Claim>) => {
    await ticking.tick();
    await clock.advance(0);
  };

  it('claims as many as it may run at once, and the next ones when those have ended', async () => {
    const both = worker();
    await tick(both);
    await tick(both);
    expect([...runs.keys()]).to.deep.equal(['a', 'b']);
    runs.get('a')?.resolve();
    await clock.advance(0);
    await tick(both);
    expect([...runs.keys()]).to.deep.equal(['a', 'b', 'c']);
    expect(givenBack).to.deep.equal([]);
  });

  it('renews the leases of its runs and no others', async () => {
    const one = worker({ concurrency: 1 });
    await tick(one);
    await clock.advance(1_000);
    runs.get('a')?.resolve();
    await clock.advance(0);
    await clock.advance(5_000);
    expect(renewals).to.deep.equal(['a']);
    expect(clock.pending).to.equal(0);
  });

  it('runs nothing that another process was faster to claim', async () => {
    await tick(worker({ claim: async () => null }));
    expect(runs.size).to.equal(0);
    expect(clock.pending).to.equal(0);
  });

  it('runs nothing whose claim took longer than its time', async () => {
    const claim = async (id: string) => {
      clock.pause(3_000);
      return { id };
    };
    await tick(worker({ claim }));
    expect(runs.size).to.equal(0);
    expect(givenBack).to.deep.equal([]);
  });

  it('counts a claim that fails and goes on with the others', async () => {
    const claim = async (id: string) => {
      if (id === 'a') throw new Error('damaged');
      return { id };
    };
    const one = worker({ claim });
    await tick(one);
    expect([...runs.keys()]).to.deep.equal(['b']);
    expect(one.isRunning('a')).to.equal(false);
    expect(await failures()).to.equal(1);
  });

  it('gives back what has failed, and counts what that throws', async () => {
    const giveBack = async ({ id }: Claim, failure: RunFailure) => {
      givenBack.push([id, failure]);
      throw failure.error;
    };
    await tick(worker({ concurrency: 1, giveBack }));
    const error = new Error('the work failed');
    runs.get('a')?.reject(error);
    await clock.advance(0);
    expect(givenBack).to.deep.equal([['a', { error, isStopping: false }]]);
    expect(await failures()).to.equal(1);
  });

  it('ends a run whose lease is lost, and gives nothing back', async () => {
    const lost = worker({ renew: async () => false });
    await tick(lost);
    await clock.advance(1_000);
    expect(lost.isRunning('a')).to.equal(false);
    expect(givenBack).to.deep.equal([]);
    expect(await failures()).to.equal(0);
  });

  it('ends a run that is cancelled, and that one only', async () => {
    const both = worker();
    await tick(both);
    both.cancel('a');
    both.cancel('unknown');
    await clock.advance(0);
    expect([both.isRunning('a'), both.isRunning('b')]).to.deep.equal([false, true]);
    expect(givenBack).to.deep.equal([]);
  });

  it('gives back what runs when its process stops, and waits for that', async () => {
    const both = worker();
    await tick(both);
    await tasks.stop();
    expect(givenBack.map(([id, { isStopping }]) => [id, isStopping])).to.deep.equal([
      ['a', true],
      ['b', true],
    ]);
    expect(clock.pending).to.equal(0);
    await tick(both);
    expect(runs.size).to.equal(2);
  });

  it('gives back at the end of its process what does not end by itself', async () => {
    await tick(worker({ concurrency: 1, run: async () => deferred().promise }));
    await tasks.stop();
    expect(givenBack.map(([id]) => id)).to.deep.equal(['a']);
  });

  it('works on one item at once, whatever else runs, or joins its run', async () => {
    const one = worker({ concurrency: 1 });
    await tick(one);
    await one.runNow('d', 1);
    expect([...runs.keys()]).to.deep.equal(['a', 'd']);
    const joined = one.runNow('d', 60_000);
    runs.get('d')?.resolve();
    await joined;
    expect(one.isRunning('d')).to.equal(false);
  });

  it('runs what the caller has claimed, for as long as that claim holds', async () => {
    const claim = async () => expect.fail('claimed again');
    const renew = async () => Promise.reject(new Error('no answer'));
    const one = worker({ claim, renew });
    const done = one.runNow('e', 60_000, { claimed: { id: 'e' }, sentAt: clock.now() - 2_500 });
    await clock.advance(100);
    expect([...runs.keys()]).to.deep.equal(['e']);
    expect(one.isRunning('e')).to.equal(true);
    await clock.advance(200);
    await done;
    expect(one.isRunning('e')).to.equal(false);
    expect(givenBack).to.deep.equal([]);
  });
});
