import { fork } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '@panel/kit/errors';
import { createJobs } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createOutboxMetrics, OutboxWorker, type OutboxWorkerOptions } from '../src/index.js';
import { log, type Message, openOrders } from './fixtures/orders.js';

const never = new AbortController().signal;
const unavailable = () => new AppError('unavailable', 'CONSUMER_UNAVAILABLE', 'no answer');
const rejected = () => new AppError('invalid_argument', 'BAD_ENTRY', 'not taken');

describe('OutboxWorker', () => {
  let url: string;
  let orders: Awaited<ReturnType<typeof openOrders>>;
  let now = new Date();

  beforeEach(async () => {
    now = new Date();
    url = testMongoUrl('outbox');
    orders = await openOrders(url);
  });
  afterEach(async () => orders.connection.close());

  function setUp(
    fails: (text: string) => unknown = () => undefined,
    options: Partial<OutboxWorkerOptions<Message>> = {},
  ) {
    const received: string[] = [];
    const worker = new OutboxWorker<Message>({
      name: 'orders',
      metrics: createOutboxMetrics(new Registry()),
      store: orders.store,
      log,
      clock: () => now,
      deliver: async (deliveries) => {
        const texts = deliveries.map(({ entry }) => entry.payload.text);
        const error = texts.map(fails).find((found) => found !== undefined);
        if (error !== undefined) throw error;
        received.push(...texts);
      },
      ...options,
    });
    return { worker, received };
  }

  async function fill(id: string, ...texts: string[]): Promise<void> {
    await orders.insert(id);
    for (const text of texts) expect(await orders.change(id, text)).to.equal(true);
  }

  it('delivers the entries of a document in order and leaves it without an outbox flag', async () => {
    await fill('a', 'one', 'two', 'three');
    const { worker, received } = setUp();
    await worker.drain(never);
    expect(received).to.deep.equal(['one', 'two', 'three']);
    const { outbox, total } = await orders.read('a');
    expect(outbox).to.deep.equal({ entries: [] });
    expect(total).to.equal(3);
    expect(await orders.store.count()).to.deep.equal({ pendingDocuments: 0, parkedEntries: 0 });
  });

  it('delivers more documents than one page holds', async () => {
    await Promise.all(Array.from({ length: 120 }, async (_, index) => fill(`d${index}`, `t${index}`)));
    const { worker, received } = setUp(undefined, { batchSize: 7 });
    await worker.drain(never);
    expect(new Set(received).size).to.equal(120);
    expect(received).to.have.length(120);
  });

  it('keeps every entry of 50 parallel appends while 3 workers drain', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `d${index}`);
    for (const id of ids) await orders.insert(id);
    const taken = new Set<string>();
    const deliver: OutboxWorkerOptions<Message>['deliver'] = async (deliveries) => {
      for (const { entry } of deliveries) taken.add(entry.id);
    };
    const replicas = [1, 2, 3].map(() => {
      const jobs = createJobs({ log, clock: () => now, metrics: { registry: new Registry() } });
      jobs.start([setUp(undefined, { deliver, intervalMs: 20 }).worker.asJob()]);
      return jobs;
    });
    const changes = ids.flatMap((id) => [1, 2, 3, 4, 5].map(async (round) => orders.change(id, `${id} ${round}`)));
    expect(await Promise.all(changes)).to.not.include(false);
    await waitUntil('all to be taken', () => taken.size === 50);
    await waitUntil('an empty outbox', async () => (await orders.store.count()).pendingDocuments === 0);
    await Promise.all(replicas.map(async (jobs) => jobs.stop()));
    for (const id of ids) expect((await orders.read(id)).total).to.equal(5);
  });

  it('refuses a change whose outbox is full', async () => {
    await fill('a', '1', '2', '3', '4', '5');
    expect(await orders.change('a', '6')).to.equal(false);
    expect((await orders.read('a')).total).to.equal(5);
  });

  it('delivers again after a process was killed between delivery and removal', async () => {
    await fill('a', 'one', 'two');
    const child = fork(new URL('fixtures/crash-after-delivery.js', import.meta.url), [url], { execArgv: [] });
    const [, signal] = await once(child, 'exit');
    expect(signal).to.equal('SIGKILL');
    expect(await orders.connection.collection('received').countDocuments()).to.equal(1);
    const { worker, received } = setUp();
    await worker.drain(never);
    expect(received).to.deep.equal(['one', 'two']);
  });

  it('parks a rejected entry and delivers the entries after it', async () => {
    await fill('a', 'one', 'bad', 'three');
    const registry = new Registry();
    const metrics = createOutboxMetrics(registry);
    const { worker, received } = setUp((text) => (text === 'bad' ? rejected() : undefined), { metrics, batchSize: 10 });
    await worker.drain(never);
    expect(received).to.deep.equal(['one', 'three']);
    const { outbox } = await orders.read('a');
    expect(outbox.entries).to.deep.equal([]);
    expect(outbox.parked).to.have.length(1);
    expect(outbox.parked?.[0]).to.include({ id: 'bad', attempts: 1, error: 'not taken' });
    const text = await registry.metrics();
    expect(text).to.contain('outbox_parked_entries{outbox="orders"} 1');
    expect(text).to.contain('outbox_deliveries_total{outbox="orders",result="parked"} 1');
  });

  it('retries a failing entry with growing pauses, holds back its document only, and parks it after the last attempt', async () => {
    await fill('a', 'bad', 'after');
    await fill('b', 'other');
    const { worker, received } = setUp((text) => (text === 'bad' ? new Error('broken') : undefined), {
      maxAttempts: 3,
    });
    await worker.drain(never);
    expect(received).to.deep.equal(['other']);
    expect((await orders.read('a')).outbox.retry).to.include({ id: 'bad', attempts: 1, error: 'broken' });
    await worker.drain(never);
    expect((await orders.read('a')).outbox.retry?.attempts).to.equal(1);
    now = new Date(now.getTime() + 2_001);
    await worker.drain(never);
    expect((await orders.read('a')).outbox.retry?.attempts).to.equal(2);
    now = new Date(now.getTime() + 4_001);
    await worker.drain(never);
    expect(received).to.deep.equal(['other', 'after']);
    const { outbox } = await orders.read('a');
    expect(outbox.parked?.[0]).to.include({ id: 'bad', attempts: 3 });
    expect(outbox).to.not.have.any.keys('retry', 'pending');
  });

  it('counts no attempt while the consumer is unavailable', async () => {
    for (let index = 0; index < 6; index += 1) await fill(`d${index}`, `t${index}`);
    let isAvailable = false;
    let calls = 0;
    const fails = () => {
      calls += 1;
      return isAvailable ? undefined : unavailable();
    };
    const { worker, received } = setUp(fails, { maxAttempts: 1 });
    await worker.drain(never);
    expect(calls).to.equal(3);
    expect(await orders.store.count()).to.deep.equal({ pendingDocuments: 6, parkedEntries: 0 });
    isAvailable = true;
    await worker.drain(never);
    await worker.drain(never);
    expect(received).to.have.length(3);
  });

  it('counts an attempt of an entry that finds the consumer unavailable while others are taken', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await fill(id, `poison ${id}`);
    await fill('e', 'good');
    const { worker, received } = setUp((text) => (text.startsWith('poison') ? unavailable() : undefined));
    await worker.drain(never);
    expect(received).to.deep.equal([]);
    await worker.drain(never);
    expect(received).to.deep.equal(['good']);
    for (const id of ['a', 'b', 'c', 'd']) expect((await orders.read(id)).outbox.retry?.attempts).to.equal(1);
  });

  it('finds pending documents by their partial index', async () => {
    const indexes = await orders.connection.collection('orders').indexes();
    expect(indexes.map(({ name }) => name)).to.include.members(['orders_outbox_pending', 'orders_outbox_parked']);
  });
});
