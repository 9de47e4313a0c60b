import { expect } from 'chai';

interface Size {
  readonly name: string;
  readonly limit: number;
  readonly size: number;
}

describe('the built web console', () => {
  it('stays within its size budgets', async () => {
    const site = new URL('../../scripts/site.mjs', import.meta.url).href;
    const { measureSite } = (await import(site)) as { measureSite: () => readonly Size[] };
    const sizes = measureSite();
    expect(sizes.map(({ name }) => name)).to.include.members(['first page', 'console', 'editor', 'staff', 'styles']);
    expect(sizes.filter(({ size, limit }) => size > limit)).to.deep.equal([]);
    // A name without a chunk would measure nothing.
    expect(sizes.filter(({ size }) => size < 2)).to.deep.equal([]);
  });
});
