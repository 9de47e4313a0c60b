import { readFileSync } from 'node:fs';
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

  it('preloads the texts that a page shows at once with the page, in each language', () => {
    const site = new URL('../../dist/site/', import.meta.url);
    const page = readFileSync(new URL('index.html', site), 'utf8');
    const [, content = ''] = /name="panel-files" content="([^"]*)"/.exec(page) ?? [];
    const files = JSON.parse(content.replaceAll('&quot;', '"')) as Record<string, readonly string[]>;
    const textsOf = (part: string): string =>
      (files[part] ?? []).map((name) => readFileSync(new URL(`.${name}`, site), 'utf8')).join('\n');
    expect(textsOf('servers.de')).to.contain('console.search-hint');
    expect(textsOf('sign-in.ar')).to.contain('sign-in.forgot');
    expect(textsOf('staff.de')).to.contain('nav.all-servers').and.contain('console.search-hint');
    expect(Object.keys(files)).to.include.members(['account.de', 'billing.ar', 'store.de', 'wall.ar']);
  });
});
