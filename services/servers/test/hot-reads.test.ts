import { expect } from 'chai';
import { deferred } from '@panel/kit/testing';
import { HotReads } from '../src/hot-reads.js';

describe('hot reads', () => {
  let clock = 0;
  let reads = 0;
  const read = async () => Promise.resolve(++reads);
  /** With numbers instead of messages. */
  const fresh = () => {
    const hot = new HotReads(500, () => clock);
    return {
      drop: (serverId: string | null) => hot.drop(serverId),
      get: async (key: string, serverId: string | null, number: () => Promise<number>) =>
        (await hot.get(key, serverId, async () => ({ number: await number() }))).number,
    };
  };
  beforeEach(() => {
    clock = 0;
    reads = 0;
  });

  it('read once for all who ask the same within half a second', async () => {
    const hot = fresh();
    const asked = await Promise.all([1, 2, 3].map(async () => hot.get('a', 's', read)));
    clock = 499;
    expect([...asked, await hot.get('a', 's', read)]).to.deep.equal([1, 1, 1, 1]);
    clock = 500;
    expect(await hot.get('a', 's', read)).to.equal(2);
  });

  it('count the age from when the reading began', async () => {
    const hot = fresh();
    const slow = deferred<number>();
    const first = hot.get('a', 's', async () => slow.promise);
    clock = 600;
    slow.resolve(0);
    await first;
    expect(await hot.get('a', 's', read)).to.equal(1);
  });

  it('keep what different callers see apart', async () => {
    const hot = fresh();
    expect([await hot.get('a', 's', read), await hot.get('b', 's', read)]).to.deep.equal([1, 2]);
  });

  it('forget a server that is written to, and every list, and nothing else', async () => {
    const hot = fresh();
    const all = async () => [
      await hot.get('a', 's', read),
      await hot.get('b', 't', read),
      await hot.get('l', null, read),
    ];
    expect(await all()).to.deep.equal([1, 2, 3]);
    hot.drop('s');
    expect(await all()).to.deep.equal([4, 2, 5]);
    hot.drop(null);
    expect(await all()).to.deep.equal([6, 7, 8]);
  });

  it('never keep what was read before a write that came while it was read', async () => {
    const hot = fresh();
    const slow = deferred<number>();
    const before = hot.get('a', 's', async () => slow.promise);
    hot.drop('s');
    expect(await hot.get('a', 's', read)).to.equal(1);
    slow.resolve(0);
    expect(await before).to.equal(0);
    expect(await hot.get('a', 's', read)).to.equal(1);
  });

  it('keep no failures', async () => {
    const hot = fresh();
    const failure = await hot
      .get('a', 's', async () => Promise.reject(new Error('away')))
      .catch((error: Error) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(await hot.get('a', 's', read)).to.equal(1);
  });

  it('keep a bounded number', async () => {
    const hot = fresh();
    for (let index = 0; index < 5_000; index++) await hot.get(`${index}`, `${index}`, read);
    expect(await hot.get('4999', '4999', read)).to.equal(5_000);
    expect(await hot.get('0', '0', read)).to.equal(5_001);
  });
});
