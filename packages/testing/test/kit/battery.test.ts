import { expect } from 'chai';
import { createConnection, type Connection, type mongo } from 'mongoose';
import { testMongoUrl } from '../../src/index.js';

interface Row {
  _id: string | number;
  taken?: number;
  n?: number;
  used?: number;
  held?: boolean;
  outbox?: { id: string }[];
  recent?: number[];
  email?: string;
  port?: number;
  limit?: number;
  free?: number;
  tasks?: { n: number; due?: boolean; done?: boolean }[];
  kind?: string;
  mb?: number;
}

describe('MongoDB operations the panel relies on', () => {
  let connection: Connection;
  let rows: mongo.Collection<Row>;

  before(async () => {
    connection = await createConnection(testMongoUrl('battery')).asPromise();
  });
  after(() => connection.close());
  beforeEach(async () => {
    rows = connection.getClient().db(connection.name).collection<Row>('rows');
    await rows.drop().catch(() => undefined);
    await connection.db?.createCollection('rows');
  });

  it('names the index and the key of a duplicate', async () => {
    await rows.createIndex({ email: 1 }, { name: 'email_unique', unique: true });
    await rows.insertOne({ _id: 1, email: 'a@b.c' });
    const error = await failure(rows.insertOne({ _id: 2, email: 'a@b.c' }));
    expect(error).to.include({ code: 11000 });
    expect(error.keyPattern).to.deep.equal({ email: 1 });
    expect(error.keyValue).to.deep.equal({ email: 'a@b.c' });
    expect(error.message).to.include('email_unique');
  });

  it('applies a partial unique index where its filter matches only', async () => {
    await rows.createIndex({ port: 1 }, { unique: true, partialFilterExpression: { held: true } });
    await rows.insertMany([
      { _id: 1, port: 1, held: false },
      { _id: 2, port: 1, held: false },
      { _id: 3, port: 1, held: true },
    ]);
    expect(await failure(rows.insertOne({ _id: 4, port: 1, held: true }))).to.include({ code: 11000 });
  });

  it('lets exactly 20 of 50 callers take one of 20 seats', async () => {
    await rows.insertOne({ _id: 'room', taken: 0 });
    const take = (): Promise<Row | null> =>
      rows.findOneAndUpdate({ _id: 'room', taken: { $lt: 20 } }, { $inc: { taken: 1 } }, { returnDocument: 'after' });
    const answers = await Promise.all(Array.from({ length: 50 }, take));
    expect(answers.filter((answer) => answer !== null)).to.have.length(20);
    expect(await rows.findOne({ _id: 'room' })).to.include({ taken: 20 });
  });

  it('creates one document from 50 concurrent upserts', async () => {
    const upsert = (): Promise<unknown> => rows.updateOne({ _id: 'one' }, { $inc: { n: 1 } }, { upsert: true });
    await Promise.all(Array.from({ length: 50 }, upsert));
    expect(await rows.find().toArray()).to.deep.equal([{ _id: 'one', n: 50 }]);
  });

  it('compares fields of one document in a conditional update', async () => {
    await rows.insertMany([
      { _id: 1, used: 5, limit: 5 },
      { _id: 2, used: 4, limit: 5 },
    ]);
    const result = await rows.updateMany({ $expr: { $lt: ['$used', '$limit'] } }, { $inc: { used: 1 } });
    expect(result.modifiedCount).to.equal(1);
    const pipeline = [{ $set: { free: { $subtract: ['$limit', '$used'] } } }];
    await rows.updateOne({ _id: 1 }, pipeline);
    expect(await rows.findOne({ _id: 1 })).to.include({ free: 0 });
  });

  it('changes the elements of an array filter', async () => {
    await rows.insertOne({ _id: 1, tasks: [{ n: 1, due: true }, { n: 2 }, { n: 3, due: true }] });
    const update = { $set: { 'tasks.$[task].done': true } };
    await rows.updateOne({ _id: 1 }, update, { arrayFilters: [{ 'task.due': true }] });
    const [row] = await rows.find().toArray();
    expect(row?.tasks?.map((task) => task.done ?? false)).to.deep.equal([true, false, true]);
  });

  it('drains an embedded outbox by $pull and bounds a list by $push with $slice', async () => {
    await rows.insertOne({ _id: 1, outbox: [{ id: 'a' }, { id: 'b' }], recent: [1, 2, 3] });
    await rows.updateOne({ _id: 1 }, { $pull: { outbox: { id: 'a' } }, $push: { recent: { $each: [4], $slice: -3 } } });
    expect(await rows.findOne()).to.deep.equal({ _id: 1, outbox: [{ id: 'b' }], recent: [2, 3, 4] });
  });

  it('returns a large result in batches', async () => {
    await rows.insertMany(Array.from({ length: 2_500 }, (_, i) => ({ _id: i, n: i })));
    const found = await rows.find().sort({ n: -1 }).batchSize(100).toArray();
    expect(found).to.have.length(2_500);
    expect(found[0]).to.include({ n: 2_499 });
  });

  it('groups and joins documents', async () => {
    await rows.insertMany(['a', 'b', 'a'].map((kind, i) => ({ _id: i, kind, mb: 10 })));
    const sums = await rows
      .aggregate([{ $group: { _id: '$kind', mb: { $sum: '$mb' } } }, { $sort: { _id: 1 } }])
      .toArray();
    expect(sums).to.deep.equal([
      { _id: 'a', mb: 20 },
      { _id: 'b', mb: 10 },
    ]);
  });
});

interface DriverError extends Error {
  code: number;
  keyPattern: unknown;
  keyValue: unknown;
}

async function failure(attempt: Promise<unknown>): Promise<DriverError> {
  try {
    await attempt;
  } catch (error) {
    return error as DriverError;
  }
  throw new Error('it went through');
}
