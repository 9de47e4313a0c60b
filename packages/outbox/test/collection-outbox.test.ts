import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import {
  type CollectionOutbox,
  createCollectionOutbox,
  createEntry,
  createOutboxMetrics,
  OutboxWorker,
} from '../src/index.js';
import { log, type Message } from './fixtures/orders.js';

const never = new AbortController().signal;

describe('createCollectionOutbox', () => {
  let connection: MongoConnection;
  let outbox: CollectionOutbox<Message>;
  let now = new Date();

  beforeEach(async () => {
    now = new Date();
    connection = await connectMongo(testMongoUrl('outbox'), { appName: 'outbox-test' });
    outbox = createCollectionOutbox<Message>(connection, 'messages');
    await createIndexes(connection);
  });
  afterEach(async () => connection.close());

  function setUp(fails: (text: string) => boolean) {
    const batches: string[][] = [];
    const worker = new OutboxWorker<Message>({
      name: 'messages',
      metrics: createOutboxMetrics(new Registry()),
      store: outbox.store,
      log,
      clock: () => now,
      batchSize: 100,
      maxAttempts: 2,
      deliver: async (deliveries) => {
        const texts = deliveries.map(({ entry }) => entry.payload.text);
        if (texts.some(fails)) throw new Error('broken');
        batches.push(texts);
      },
    });
    return { worker, batches };
  }

  const add = async (text: string, ageMs: number) =>
    outbox.add(createEntry({ text }, new Date(now.getTime() - ageMs), text));

  it('delivers the oldest entries first, in batches', async () => {
    await Promise.all([add('new', 1), add('old', 3), add('middle', 2)]);
    const { worker, batches } = setUp(() => false);
    await worker.drain(never);
    expect(batches).to.deep.equal([['old', 'middle', 'new']]);
    expect(await outbox.store.count()).to.deep.equal({ pendingDocuments: 0, parkedEntries: 0 });
  });

  it('delivers a replaced entry when it is due, as it was replaced last', async () => {
    const dueAt = new Date(now.getTime() + 60_000);
    for (const text of ['first', 'second']) await outbox.replace(createEntry({ text }, now, 'same'), dueAt);
    const { worker, batches } = setUp(() => false);
    await worker.drain(never);
    expect(batches).to.deep.equal([]);
    now = dueAt;
    await worker.drain(never);
    expect(batches).to.deep.equal([['second']]);
  });

  it('takes nothing beyond its capacity, and more after a delivery', async () => {
    outbox = createCollectionOutbox<Message>(connection, 'few', { capacity: 2 });
    await Promise.all([add('one', 2), add('two', 1)]);
    await outbox.store.count();
    const refused = await add('three', 0).catch((error: unknown) => error);
    expect(String(refused)).to.include('few is full');
    const { worker, batches } = setUp(() => false);
    await worker.drain(never);
    await add('four', 0);
    await outbox.store.count();
    await worker.drain(never);
    expect(batches).to.deep.equal([['one', 'two'], ['four']]);
  });

  it('keeps one of 50 entries with the same id', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => add('same', 1)));
    expect((await outbox.store.count()).pendingDocuments).to.equal(1);
  });

  it('retries a bad entry singly, then parks it, and delivers the rest of its batch at once', async () => {
    await Promise.all([add('one', 3), add('bad', 2), add('three', 1)]);
    const { worker, batches } = setUp((text) => text === 'bad');
    await worker.drain(never);
    expect(batches).to.deep.equal([['one'], ['three']]);
    now = new Date(now.getTime() + 2_001);
    await worker.drain(never);
    expect(await outbox.store.count()).to.deep.equal({ pendingDocuments: 0, parkedEntries: 1 });
    const retained = await connection.collection<{ _id: string }>('messages').findOne({ _id: 'bad' });
    expect(retained).to.deep.include({ attempts: 2, error: 'broken', payload: { text: 'bad' } });
  });

  it('delivers more entries than one page holds', async () => {
    await Promise.all(Array.from({ length: 130 }, async (_, index) => add(`t${index}`, index)));
    const { worker, batches } = setUp((text) => text === 't7');
    await worker.drain(never);
    expect(batches.flat()).to.have.length(129);
  });
});
