import { randomUUID } from 'node:crypto';
import { connectMongo } from '@panel/kit/mongo';
import { reusedMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { checkout, type CheckoutInput } from '../../src/usecases/orders/checkout.js';
import { addCartItem } from '../../src/usecases/carts/add-cart-item.js';
import { applyCoupon } from '../../src/usecases/carts/apply-coupon.js';
import { createCoupon } from '../../src/usecases/coupons/create-coupon.js';
import { grantCredits } from '../../src/usecases/credits/grant-credits.js';
import { FakeActivity, FakeMail, FakeServers, FakeUsage, fakeUsers, testSettings } from '../fakes.js';
import { newUserId, userActor } from '../harness.js';
import { productWith } from '../product.js';
import { openReplica, type Replica } from '../replica.js';
import { TripCounter } from '../trips.js';

/** Whole request, with its activity entry. */
const maxInRow = 18;

describe('the trips of a checkout to the database', function () {
  this.timeout(180_000);
  let replica: Replica;
  let trips: TripCounter;

  before(async () => {
    const mongoUrl = reusedMongoUrl('billing');
    const connection = await connectMongo(mongoUrl, { appName: 'test', monitorCommands: true });
    trips = new TripCounter(connection);
    const servers = new FakeServers();
    const overrides = {
      servers: servers.client,
      eggs: servers.eggs,
      usage: new FakeUsage().client,
      users: fakeUsers,
      mail: new FakeMail().client,
      activityClient: new FakeActivity().client,
      settings: { read: async () => testSettings },
      gateways: new Map(),
    };
    replica = await openReplica(mongoUrl, () => new Date(), overrides, connection);
    // Excludes connections and first numbers.
    await Promise.all(Array.from({ length: 16 }, async () => connection.db?.command({ ping: 1 })));
    await measure({ paymentMethod: 'manual' });
  });
  after(async () => replica?.stop());

  /** A cart with coupon, limited stock and a limit per customer. */
  const measure = async (change: Partial<CheckoutInput>): Promise<void> => {
    const { context } = replica;
    const userId = newUserId();
    const product = productWith({ stock: 5, perUserLimit: 2 });
    await context.products.create(product);
    const code = `TEN-${randomUUID().slice(0, 8)}`;
    const limits = { maxUses: 5, maxUsesPerUser: 1, recurring: null, startsAt: null, expiresAt: null };
    await createCoupon(context, { code, type: 'percent', value: 10, currency: '', productIds: [], ...limits });
    await grantCredits(context, { userId, amountMinor: 5_000, currency: '', reason: 'test' });
    const config = { serverName: '', environment: {} };
    await addCartItem(context, userId, { productId: product.id, planId: '', quantity: 1, config });
    await applyCoupon(context, userId, code);
    const cart = { userId, items: [], couponCode: '', returnUrl: '', savePaymentMethod: false };
    trips.reset();
    const { invoice } = await checkout(context, { ...cart, paymentMethod: 'credits', ...change });
    await context.activity.record({ event: 'billing:order.create', properties: { order: '', total: '' } }, userActor());
    expect(invoice.number).not.to.equal('');
  };

  for (const paymentMethod of ['credits', 'manual']) {
    it(`makes at most ${maxInRow} trips in a row, paid by ${paymentMethod}`, async () => {
      await measure({ paymentMethod });
      expect(trips.inRow, trips.commands.join('\n')).to.be.within(1, maxInRow);
    });
  }
});
