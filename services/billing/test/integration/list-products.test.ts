import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { ListProductsRequest, Plan_Interval } from '@panel/protos/billing';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { type RunningBilling, startTestBilling, userActor } from '../harness.js';
import { productWith } from '../product.js';

describe('ListProducts', () => {
  let billing: RunningBilling;
  const customer = () => ({ actorToken: billing.tokenOf(userActor()) });
  const staff = () => ({ actorToken: billing.tokenOf(userActor(['billing.view'])) });
  const namesOf = async (page: Partial<ListProductsRequest['page']>, options = customer()) => {
    const request = ListProductsRequest.create({ page: { page: 0, perPage: 0, sort: [], search: '', ...page } });
    const answer = await billing.products.listProducts(request, options);
    return answer.products.map(({ name }) => name);
  };

  before(async () => {
    billing = await startTestBilling();
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    await billing.store.create(productWith({ name: 'Creeper', slug: 'creeper', createdAt: day(1) }));
    await billing.store.create(productWith({ name: 'Ant (a.c)', slug: 'ant', createdAt: day(2) }));
    await billing.store.create(productWith({ name: 'Bear abc', slug: 'bear', createdAt: day(3) }));
    await billing.store.create(productWith({ name: 'Hidden', slug: 'hidden', active: false, createdAt: day(4) }));
  });
  after(async () => billing.stop());

  it('shows customers what is for sale, oldest first', async () => {
    expect(await namesOf({})).to.deep.equal(['Creeper', 'Ant (a.c)', 'Bear abc']);
  });

  it('shows staff with billing.view everything when asked', async () => {
    const answer = await billing.products.listProducts(ListProductsRequest.create({ includeInactive: true }), staff());
    expect(answer.products.map(({ name }) => name)).to.include('Hidden');
    expect(answer.page?.total).to.equal(4);
  });

  it('shows staff only what is for sale when not asked for more', async () => {
    expect(await namesOf({}, staff())).not.to.include('Hidden');
  });

  it('refuses customers the products that are not for sale', async () => {
    const error = await failureOf(
      billing.products.listProducts(ListProductsRequest.create({ includeInactive: true }), customer()),
    );
    expect(isAppError(error, 'PERMISSION_MISSING')).to.equal(true);
  });

  it('refuses an unknown caller', async () => {
    const actorToken = billing.tokenOf({ kind: 'anonymous', ip: '192.0.2.1' });
    const error = await failureOf(billing.products.listProducts(ListProductsRequest.create(), { actorToken }));
    expect(isAppError(error, 'USER_REQUIRED')).to.equal(true);
  });

  it('sorts by name in both directions', async () => {
    expect(await namesOf({ sort: ['name'] })).to.deep.equal(['Ant (a.c)', 'Bear abc', 'Creeper']);
    expect(await namesOf({ sort: ['-name'] })).to.deep.equal(['Creeper', 'Bear abc', 'Ant (a.c)']);
  });

  it('takes the search text literally and without regard to case', async () => {
    expect(await namesOf({ search: 'A.C' })).to.deep.equal(['Ant (a.c)']);
    expect(await namesOf({ search: '.*' })).to.deep.equal([]);
    expect(await namesOf({ search: 'CREEP' })).to.deep.equal(['Creeper']);
  });

  it('pages, and answers a page past the end with nothing but the total', async () => {
    expect(await namesOf({ page: 2, perPage: 2 })).to.deep.equal(['Bear abc']);
    const request = ListProductsRequest.create({ page: { page: 9, perPage: 2 } });
    const answer = await billing.products.listProducts(request, customer());
    expect(answer.products).to.deep.equal([]);
    expect(answer.page).to.deep.equal({ page: 9, perPage: 2, total: 3 });
  });

  for (const [name, page, field] of [
    ['an unknown sort field', { sort: ['slug'] }, 'sort'],
    ['a prototype key as sort field', { sort: ['__proto__'] }, 'sort'],
    ['an operator as sort field', { sort: ['$where'] }, 'sort'],
    ['more than 100 per page', { perPage: 101 }, 'per_page'],
    ['a negative page', { page: -1 }, 'page'],
    ['an endless search text', { search: 'x'.repeat(101) }, 'search'],
  ] as const) {
    it(`refuses ${name}, naming the parameter`, async () => {
      const sort: string[] = 'sort' in page ? [...page.sort] : [];
      const error = await failureOf(namesOf({ ...page, sort }));
      expect(isAppError(error, 'INVALID_FIELDS')).to.equal(true);
      expect(isAppError(error) && error.metadata.fields).to.have.all.keys(field);
    });
  }

  it('tells everything about a product', async () => {
    const tag = randomUUID();
    const product = productWith({
      name: `Whole ${tag}`,
      slug: `whole-${tag}`,
      description: 'All of it',
      stock: 0,
      perUserLimit: 3,
      server: { ...productWith().server, environment: { MODE: 'x.$y' }, nodeTags: ['eu'], dockerImage: 'debian:12' },
    });
    await billing.store.create(product);
    const request = ListProductsRequest.create({ page: { search: tag } });
    const [found] = (await billing.products.listProducts(request, customer())).products;
    const { createdAt, updatedAt, plans, ...same } = product;
    const unsaid = { autoStart: undefined, timezone: undefined, threads: undefined };
    const alsoUnsaid = { oomDisabled: undefined, stopGraceSeconds: undefined };
    expect(found).to.deep.equal({
      ...same,
      server: { ...same.server, ...unsaid, ...alsoUnsaid },
      plans: plans.map(({ priceMinor, setupFeeMinor, currency, interval: _interval, usageRates: _rates, ...plan }) => ({
        ...plan,
        price: { amountMinor: priceMinor, currency, digits: undefined },
        setupFee: { amountMinor: setupFeeMinor, currency, digits: undefined },
        interval: Plan_Interval.MONTH,
        usageRates: undefined,
      })),
      createTime: createdAt,
      updateTime: updatedAt,
    });
  });

  it('lets one of 50 creators have a slug', async () => {
    const slug = `taken-${randomUUID()}`;
    const attempts = Array.from({ length: 50 }, async () => billing.store.create(productWith({ slug })));
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const losers = results.filter((result) => result.status === 'rejected');
    expect(losers.every(({ reason }) => isAppError(reason, 'PRODUCT_SLUG_TAKEN'))).to.equal(true);
  });

  it('shows the figures of its outboxes in its metrics', async () => {
    const shown = async (name: string) =>
      (await (await fetch(`http://${billing.metrics}/metrics`)).text()).includes(
        `outbox_parked_entries{outbox="${name}"`,
      );
    for (const name of ['invoice-mail', 'subscription-mail', 'activity'])
      await waitUntil(`the figures of ${name}`, async () => shown(name));
  });

  it('reports ready when the database answers', async () => {
    expect((await fetch(`http://${billing.metrics}/readyz`)).status).to.equal(200);
  });
});

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}
