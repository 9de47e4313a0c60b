import { expect } from 'chai';
import { NodeOrigins } from '../../src/site/node-origins.js';

/** One page of nodes, or an unavailable service. */
function clientOf(publicUrls: readonly string[]) {
  const world = { calls: 0, isUnavailable: false };
  const listNodes = async () => {
    world.calls += 1;
    if (world.isUnavailable) throw new Error('away');
    return { nodes: publicUrls.map((publicUrl) => ({ publicUrl })), page: { total: publicUrls.length } };
  };
  return { world, origins: new NodeOrigins({ listNodes } as never) };
}

describe('the origins of nodes in the policy of pages', () => {
  it('lists the origins of web addresses, sorted, each once', async () => {
    const { origins } = clientOf([
      'https://b.example.com:2443/files',
      'https://a.example.com',
      'https://a.example.com/other',
      '',
      'javascript:alert(1)',
      'no address; script-src *',
    ]);
    expect(await origins.read()).to.deep.equal(['https://a.example.com', 'https://b.example.com:2443']);
  });

  it('reads the origins of nodes once for pages that are opened together', async () => {
    const { origins, world } = clientOf(['https://a.example.com']);
    await Promise.all([origins.read(), origins.read()]);
    await origins.read();
    expect(world.calls).to.equal(1);
  });

  it('lists no origins, and does not fail, while nobody answers', async () => {
    const { origins, world } = clientOf(['https://a.example.com']);
    world.isUnavailable = true;
    expect(await origins.read()).to.deep.equal([]);
  });

  it('bounds the origins of nodes to leave room for other headers', async () => {
    const many = Array.from({ length: 99 }, (_, index) => `https://node${index}.a-long-name-of-a-provider.example.com`);
    const found = await clientOf(many).origins.read();
    expect(found.length).to.be.within(20, 98);
    expect(found.join(' ').length).to.be.at.most(2_000);
  });
});
