import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { BatchedReads } from '../../src/mongo/batched-reads.js';
import { deferred } from '../../src/testing/deferred.js';

describe('batched reads', () => {
  /** Queries end on request. */
  function createReads() {
    const queries: { readonly ids: readonly string[]; end(found: Record<string, string>): void; fail(): void }[] = [];
    const reads = new BatchedReads<string>(async (ids) => {
      const { promise, resolve, reject } = deferred<Map<string, string>>();
      queries.push({
        ids,
        end: (found) => resolve(new Map(Object.entries(found))),
        fail: () => reject(new Error('the database is down')),
      });
      return promise;
    });
    return { reads, queries };
  }

  it('answers all reads of one event-loop turn from one query and requests each id once', async () => {
    const { reads, queries } = createReads();
    const found = Promise.all(['a', 'b', 'a', 'missing'].map(async (id) => reads.read(id)));
    await turn();
    expect(queries.map(({ ids }) => ids)).to.deep.equal([['a', 'b', 'missing']]);
    queries[0]?.end({ a: 'A', b: 'B' });
    expect(await found).to.deep.equal(['A', 'B', 'A', null]);
  });

  it('never answers a read from a query that began before it', async () => {
    const { reads, queries } = createReads();
    const before = reads.read('a');
    await turn();
    const after = reads.read('a');
    await turn();
    expect(queries).to.have.length(2);
    queries[0]?.end({ a: 'old' });
    queries[1]?.end({ a: 'new' });
    expect([await before, await after]).to.deep.equal(['old', 'new']);
  });

  it('collects reads while two queries are in progress', async () => {
    const { reads, queries } = createReads();
    const first = reads.read('a');
    await turn();
    const second = reads.read('b');
    await turn();
    const others = Promise.all(['c', 'd'].map(async (id) => reads.read(id)));
    await turn();
    expect(queries).to.have.length(2);
    queries[1]?.end({ b: 'B' });
    expect(await second).to.equal('B');
    await turn();
    expect(queries[2]?.ids).to.deep.equal(['c', 'd']);
    queries[2]?.end({ c: 'C', d: 'D' });
    queries[0]?.end({ a: 'A' });
    expect(await others).to.deep.equal(['C', 'D']);
    expect(await first).to.equal('A');
  });

  it('asks for at most a hundred ids with one query', async () => {
    const { reads, queries } = createReads();
    const found = Promise.all(Array.from({ length: 150 }, async (_, index) => reads.read(`${index}`)));
    await turn();
    await turn();
    expect(queries.map(({ ids }) => ids.length)).to.deep.equal([100, 50]);
    for (const query of queries) query.end({});
    expect(await found).to.have.length(150);
  });

  it('fails the reads of a query that fails, and no others', async () => {
    const { reads, queries } = createReads();
    const failing = reads.read('a').catch((error: unknown) => error);
    await turn();
    const other = reads.read('a');
    await turn();
    queries[0]?.fail();
    queries[1]?.end({ a: 'A' });
    expect(await failing)
      .to.be.an('error')
      .with.property('message', 'the database is down');
    expect(await other).to.equal('A');
  });
});
