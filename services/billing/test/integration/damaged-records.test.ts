import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  ListInvoicesRequest,
  ListOrdersRequest,
  ListProductsRequest,
  ListServicesRequest,
  Scope,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { newUserId, type RunningBilling, startTestBilling } from '../harness.js';

type Row = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Filter and sort fields of lists; all others may be lost. */
const retained = ['userId', 'createdAt', 'active', 'accountId', 'amountMinor'];

describe('damaged record', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  const user = newUserId();
  before(async () => {
    billing = await startTestBilling();
    await billing.grant(user, 5_000);
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    await billing.orders.checkout(CheckoutRequest.create({ paymentMethod: 'credits', items }), billing.as(user));
    await billing.runUntilIdle();
  });
  after(async () => billing.stop());

  const page = { page: 1, perPage: 100, sort: [], search: '' };
  const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
  const own = () => billing.as(user);
  const lists: Readonly<Record<string, () => Promise<string[]>>> = {
    products: async () =>
      idsOf((await billing.products.listProducts(ListProductsRequest.create({ page }), own())).products),
    orders: async () =>
      idsOf((await billing.orders.listOrders(ListOrdersRequest.create({ page, scope: Scope.OWN }), own())).orders),
    invoices: async () =>
      idsOf(
        (await billing.invoices.listInvoices(ListInvoicesRequest.create({ page, scope: Scope.OWN }), own())).invoices,
      ),
    subscriptions: async () =>
      idsOf(
        (await billing.services.listServices(ListServicesRequest.create({ page, scope: Scope.OWN }), own())).services,
      ),
    credit_ledger: async () => idsOf((await billing.credits.getCredits({ userId: '' }, own())).entries),
  };
  for (const [collection, list] of Object.entries(lists)) {
    it(`lists all other records of ${collection} beside a damaged one`, async () => {
      const rows = billing.mongo.collection<Row>(collection);
      const good = await list();
      const row = (await rows.findOne({ _id: good[0] })) ?? expect.fail('no record');
      const found = Object.fromEntries(Object.entries(row).filter(([name]) => retained.includes(name)));
      const damaged = { ...found, _id: randomUUID() };
      await rows.insertOne(damaged);
      expect(await list()).to.include.members(good);
      await rows.deleteOne({ _id: damaged._id });
    });
  }
});
