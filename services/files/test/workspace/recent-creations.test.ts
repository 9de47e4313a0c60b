import { expect } from 'chai';
import { RecentCreations } from '../../src/workspace/recent-creations.js';

describe('recent creations', () => {
  it('executes a creation once within ten minutes', async () => {
    let now = 1;
    let made = 0;
    const recent = new RecentCreations<number>(() => now);
    const once = async () => recent.once('server', 'id', async () => (made += 1));
    expect([await once(), await once()]).to.deep.equal([1, 1]);
    now += 10 * 60_000 + 1;
    expect([await once(), await once()]).to.deep.equal([2, 2]);
  });

  it('separates recent creations of one server from those of others', async () => {
    const recent = new RecentCreations<string>();
    const once = async (serverId: string) => recent.once(serverId, 'id', async () => serverId);
    expect([await once('one'), await once('other')]).to.deep.equal(['one', 'other']);
  });

  it('keeps a creation that is repeated, and drops the one whose last call is the oldest', async () => {
    let made = 0;
    const recent = new RecentCreations<number>();
    const once = async (id: number) => recent.once('server', `${id}`, async () => (made += 1));
    for (let id = 0; id < 10_000; id += 1) await once(id);
    expect(await once(0)).to.equal(1);
    await once(10_000);
    expect([await once(0), await once(1)]).to.deep.equal([1, 10_002]);
  });

  it('keeps at most 10,000 entries and drops the oldest', async () => {
    let made = 0;
    const recent = new RecentCreations<number>(() => 1);
    const once = async (id: number) => recent.once('server', `${id}`, async () => (made += 1));
    for (let id = 0; id <= 10_000; id += 1) await once(id);
    expect(await once(10_000)).to.equal(10_001);
    expect(await once(0)).to.equal(10_002);
  });
});
