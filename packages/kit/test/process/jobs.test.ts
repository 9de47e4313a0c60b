import { once } from 'node:events';
import { expect } from 'chai';
import { createJobs, createLogger, createMetrics, type Job } from '../../src/process/index.js';
import { deferred } from '../../src/testing/index.js';

const log = createLogger({ service: 'test', level: 'silent' });
const startedAt = new Date('2026-01-02T03:04:05Z');

describe('periodic jobs', () => {
  const open = () => {
    const metrics = createMetrics('test');
    const jobs = createJobs({ log, metrics, clock: () => startedAt });
    const sample = async (name: string, labels: string) =>
      (await metrics.registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(`${name}{${labels}`))
        ?.split(' ')[1];
    return { jobs, sample };
  };
  const hourly = (run: Job['run'], lease?: Job['lease']): Job => ({ name: 'count', intervalMs: 3_600_000, run, lease });

  it('runs again after an interval and continues after a failed run', async () => {
    const { jobs, sample } = open();
    const third = deferred();
    let runs = 0;
    const run = async () => {
      runs++;
      if (runs === 3) third.resolve();
      throw new Error('this run fails');
    };
    jobs.start([{ name: 'count', intervalMs: 1, run }]);
    await third.promise;
    await jobs.stop();
    expect(Number(await sample('job_runs_total', 'job="count",outcome="failure"'))).to.be.at.least(2);
  });

  it('counts an item that fails and goes on with the others', async () => {
    const { jobs, sample } = open();
    const ended = deferred();
    const done: string[] = [];
    const run = async () => {
      for (const id of ['a', 'damaged', 'c']) {
        await jobs.attempt('count', id, async () => {
          if (id === 'damaged') throw new TypeError('nothing is there');
          done.push(id);
        });
      }
      ended.resolve();
    };
    jobs.start([hourly(run)]);
    await ended.promise;
    await jobs.stop();
    expect(done).to.deep.equal(['a', 'c']);
    expect(await sample('job_item_failures_total', 'job="count"')).to.equal('1');
    expect(await sample('job_runs_total', 'job="count",outcome="success"')).to.equal('1');
  });

  it('shows the last run, its duration and whether one runs', async () => {
    const { jobs, sample } = open();
    const started = deferred();
    const end = deferred();
    const run = async () => {
      started.resolve();
      await end.promise;
    };
    jobs.start([hourly(run)]);
    await started.promise;
    expect(await sample('job_running', 'job="count"')).to.equal('1');
    expect(await sample('job_last_run_timestamp_seconds', 'job="count"')).to.equal(`${startedAt.getTime() / 1_000}`);
    end.resolve();
    await jobs.stop();
    expect(await sample('job_running', 'job="count"')).to.equal('0');
    expect(await sample('job_runs_total', 'job="count",outcome="success"')).to.equal('1');
    expect(Number(await sample('job_last_run_duration_seconds', 'job="count"'))).to.be.greaterThan(0);
  });

  it('starts the next run on request, also one requested during a run', async () => {
    const { jobs } = open();
    const runs = [deferred(), deferred(), deferred()];
    const firstEnd = deferred();
    let index = 0;
    const run = async () => {
      const current = index++;
      runs[current]?.resolve();
      if (current === 0) await firstEnd.promise;
    };
    jobs.start([hourly(run)]);
    await runs[0]?.promise;
    jobs.runNow('count');
    firstEnd.resolve();
    await runs[1]?.promise;
    await new Promise((resolve) => setImmediate(resolve));
    jobs.runNow('count');
    await runs[2]?.promise;
    await jobs.stop();
    expect(index).to.equal(3);
  });

  it('runs no job without its lease, and survives a lease that fails', async () => {
    const { jobs, sample } = open();
    const asked = deferred();
    let runs = 0;
    const run = async () => void runs++;
    const lease = async () => {
      asked.resolve();
      throw new Error('the store of leases is unavailable');
    };
    jobs.start([hourly(run, lease)]);
    await asked.promise;
    await jobs.stop();
    expect(runs).to.equal(0);
    expect(await sample('job_runs_total', 'job="count",outcome="success"')).to.equal(undefined);
  });

  it('runs under its lease', async () => {
    const { jobs } = open();
    const events: string[] = [];
    const released = deferred();
    const lease = async (run: () => Promise<void>) => {
      events.push('acquire');
      await run();
      events.push('release');
      released.resolve();
    };
    jobs.start([hourly(async () => void events.push('run'), lease)]);
    await released.promise;
    await jobs.stop();
    expect(events).to.deep.equal(['acquire', 'run', 'release']);
  });

  it('aborts and awaits runs at stop', async () => {
    const { jobs } = open();
    const started = deferred();
    let hasEnded = false;
    const run = async (signal: AbortSignal) => {
      started.resolve();
      await once(signal, 'abort');
      hasEnded = true;
    };
    jobs.start([hourly(run)]);
    await started.promise;
    await jobs.stop();
    expect(hasEnded).to.equal(true);
  });

  it('refuses a second job of the same name', async () => {
    const { jobs } = open();
    let runs = 0;
    const job = hourly(async () => (runs += 1));
    jobs.start([job]);
    expect(() => jobs.start([job])).to.throw('two jobs are named count');
    await jobs.stop();
    expect(runs).to.equal(1);
  });

  it('ignores a request for a job that does not run here', async () => {
    const { jobs } = open();
    expect(() => jobs.runNow('count')).not.to.throw();
    await jobs.stop();
  });

  describe('in a rush', () => {
    it('wakes every timed job and resolves after a run that began later', async () => {
      const { jobs } = open();
      const first = deferred();
      const runs = { count: 0, other: 0 };
      const run = async () => {
        runs.count += 1;
        if (runs.count === 1) await first.promise;
      };
      jobs.start([
        hourly(run),
        { name: 'untimed', intervalMs: 3_600_000, isTimed: false, run: async () => (runs.other += 1) },
      ]);
      let isDone = false;
      const rush = jobs.rush().then(() => (isDone = true));
      await new Promise(setImmediate);
      expect(isDone).to.equal(false);
      first.resolve();
      await rush;
      await jobs.stop();
      expect(runs).to.deep.equal({ count: 2, other: 1 });
    });

    it('waits for jobs that another one wakes', async () => {
      const { jobs } = open();
      const ranTwice = deferred();
      const runs = { first: 0, second: 0 };
      const wakes = async () => {
        runs.first += 1;
        if (runs.first < 2) return;
        await ranTwice.promise;
        jobs.runNow('second');
      };
      const wakened = async () => {
        runs.second += 1;
        // The run is over when the other goes on.
        if (runs.second === 2) setImmediate(ranTwice.resolve);
      };
      jobs.start([
        { name: 'first', intervalMs: 3_600_000, run: wakes },
        { name: 'second', intervalMs: 3_600_000, run: wakened },
      ]);
      await jobs.rush();
      expect(runs).to.deep.equal({ first: 2, second: 3 });
      await jobs.stop();
    });

    it('ends with the process', async () => {
      const { jobs } = open();
      const begun = deferred();
      jobs.start([
        hourly(async (signal) => {
          begun.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        }),
      ]);
      await begun.promise;
      const rush = jobs.rush();
      await jobs.stop();
      await rush;
    });
  });
});
