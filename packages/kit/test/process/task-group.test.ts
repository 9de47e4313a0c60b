import { once } from 'node:events';
import { expect } from 'chai';
import { createLogger, createMetrics, createTaskGroup, startReadiness } from '../../src/process/index.js';
import { parsePage } from '../../src/mongo/index.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('task group', () => {
  it('aborts its tasks at stop and waits for them', async () => {
    const group = createTaskGroup(log);
    const events: string[] = [];
    group.run('one', async (signal) => {
      await once(signal, 'abort');
      events.push('aborted');
    });
    await group.stop();
    expect(events).to.deep.equal(['aborted']);
    expect(group.size()).to.equal(0);
  });

  it('waits also for a task that a task begins at its end', async () => {
    const group = createTaskGroup(log);
    const ended: string[] = [];
    const work = async (name: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(name);
    };
    group.run('first', async () => {
      await work('first');
      group.run('next', async () => work('next'));
    });
    await group.stop();
    expect(ended).to.deep.equal(['first', 'next']);
  });

  it('logs a failed task instead of throwing', async () => {
    const group = createTaskGroup(log);
    group.run('fails', async () => Promise.reject(new Error('broken')));
    await group.stop();
    expect(group.size()).to.equal(0);
  });
});

describe('readiness', () => {
  it('names what fails and reports changes', async () => {
    let isUp = false;
    const changes: boolean[] = [];
    const metrics = createMetrics('test');
    const up = async () => (await metrics.registry.getSingleMetric('dependency_up')?.get())?.values[0];
    const readiness = await startReadiness(
      { mongo: async () => (isUp ? undefined : Promise.reject(new Error('down'))) },
      { metrics, onChange: (isReady) => changes.push(isReady) },
    );
    expect(readiness.failing()).to.deep.equal(['mongo: down']);
    expect(await up()).to.deep.include({ value: 0, labels: { dependency: 'mongo' } });
    isUp = true;
    const deadline = Date.now() + 5000;
    while (changes.length === 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect(changes).to.deep.equal([true]);
    expect(await up()).to.deep.include({ value: 1 });
    readiness.stop();
    expect(readiness.failing()).to.deep.equal(['stopping']);
  });
});

describe('page requests', () => {
  const sortable = { created_at: 'createdAt', name: 'name' };
  const request = { page: 0, perPage: 0, sort: [] as string[], search: '' };

  it('defaults to the first 25 by creation', () => {
    expect(parsePage(undefined, sortable)).to.deep.equal({
      page: 1,
      perPage: 25,
      skip: 0,
      search: '',
      sort: { createdAt: 1, _id: 1 },
    });
  });

  it('sorts by documented fields only, each once, with a total order', () => {
    expect(parsePage({ ...request, sort: ['-name', 'created_at', 'name'] }, sortable).sort).to.deep.equal({
      name: -1,
      createdAt: 1,
      _id: 1,
    });
  });

  for (const [field, bad] of Object.entries({
    page: { page: -1 },
    per_page: { perPage: 101 },
    sort: { sort: ['password'] },
    search: { search: 'x'.repeat(101) },
  })) {
    it(`refuses a page request with a bad ${field}`, () => {
      const run = () => parsePage({ ...request, ...bad }, sortable);
      expect(run).to.throw().with.nested.property(`metadata.fields.${field}`);
    });
  }

  it('refuses to sort by inherited properties', () => {
    expect(() => parsePage({ ...request, sort: ['constructor'] }, sortable))
      .to.throw()
      .with.property('kind', 'invalid_argument');
  });
});
