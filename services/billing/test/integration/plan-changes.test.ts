import {
  CheckoutRequest,
  Invoice_Status,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Scope,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import { expect } from 'chai';
import type { Product } from '../../src/domain/product.js';
import { newUserId, problemsOf, type RunningBilling, startTestBilling } from '../harness.js';

const { CREDITS } = RefundInvoiceRequest_Destination;

/** Prices for a month; half of April is over when plans change. */
const [small, big] = [1_000, 3_000];
const halfOver = new Date('2026-04-16T00:00:00Z');

describe('a change of plan', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
    billing.setTime(new Date('2026-04-01T00:00:00Z'));
  });
  afterEach(async () => {
    try {
      await billing.checkInvariants();
    } finally {
      await billing.stop();
    }
  });

  const priced = async (priceMinor: number, changes: Partial<Product> = {}, setupFeeMinor = 0) => {
    const product = await billing.sell(changes);
    const plans = product.plans.map((plan) => ({ ...plan, priceMinor, setupFeeMinor }));
    await billing.context.products.update(product.id, { plans });
    return product;
  };
  /** Each can change to the other. */
  const twoProducts = async (setupFeeMinor = 0) => {
    const dear = await priced(big, {}, setupFeeMinor);
    const cheap = await priced(small, { upgradeProductIds: [dear.id] }, setupFeeMinor);
    await billing.context.products.update(dear.id, { upgradeProductIds: [cheap.id] });
    return { dear, cheap };
  };
  const coupon = async (changes: Partial<Parameters<typeof billing.context.coupons.create>[0]>) =>
    billing.context.coupons.create({
      id: newUserId(),
      code: 'OFF',
      type: 'percent',
      value: 100,
      currency: '',
      productIds: [],
      maxUses: null,
      maxUsesPerUser: null,
      uses: 0,
      recurring: 1,
      startsAt: null,
      expiresAt: null,
      createdAt: new Date(0),
      ...changes,
    });
  const buy = async (user: string, productId: string, { couponCode = '', quantity = 1 } = {}) => {
    const items = [{ productId, planId: '', quantity, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items, couponCode });
    const { services, invoice } = await billing.orders.checkout(request, billing.as(user));
    await billing.runUntilIdle();
    return { serviceIds: services.map(({ id }) => id), serviceId: services[0]?.id ?? '', invoiceId: invoice?.id ?? '' };
  };
  const change = async (user: string, serviceId: string, { id: productId }: Product) => {
    const request = { serviceId, productId, planId: '', paymentMethod: 'credits' };
    const { prorated } = await billing.services.changePlan(request, billing.as(user));
    await billing.runUntilIdle();
    return prorated?.amountMinor;
  };
  const balanceOf = async (user: string) =>
    (await billing.credits.getCredits({ userId: '' }, billing.as(user))).balance?.amountMinor ?? 0;
  const refundAll = async (invoiceId: string) => {
    const request = RefundInvoiceRequest.create({ invoiceId, destination: CREDITS, reason: 'goodwill' });
    await billing.invoices.refundInvoice(request);
    await billing.runUntilIdle();
  };
  const customer = async (amountMinor: number) => {
    const user = newUserId();
    if (amountMinor > 0) await billing.grant(user, amountMinor);
    return user;
  };
  const invoicesOf = async (user: string) => {
    const request = { page: undefined, scope: Scope.OWN, status: Invoice_Status.UNSPECIFIED, userId: '' };
    return (await billing.invoices.listInvoices(request, billing.as(user))).invoices;
  };

  it('gives back what is left of the price, and nothing in a circle of plans at one moment', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(big + small);
    const { serviceId } = await buy(user, cheap.id);
    billing.setTime(halfOver);
    expect(await change(user, serviceId, dear)).to.equal((big - small) / 2);
    for (let round = 0; round < 3; round += 1) {
      const before = await balanceOf(user);
      expect(await change(user, serviceId, cheap)).to.equal(-(big - small) / 2);
      expect(await change(user, serviceId, dear)).to.equal((big - small) / 2);
      expect(await balanceOf(user)).to.equal(before);
    }
  });

  for (const [value, paid] of [
    [100, 0],
    [50, big / 2],
  ] as const) {
    it(`gives back nothing that a coupon of ${value} % has paid`, async () => {
      const { dear, cheap } = await twoProducts();
      await coupon({ value });
      const user = await customer(paid);
      const { serviceId } = await buy(user, dear.id, { couponCode: 'OFF' });
      billing.setTime(halfOver);
      await change(user, serviceId, cheap);
      expect(await balanceOf(user)).to.equal((paid - (small * (100 - value)) / 100) / 2 || 0);
    });
  }

  it('gives back nothing after a refund of everything', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(big);
    const { serviceId, invoiceId } = await buy(user, dear.id);
    billing.setTime(halfOver);
    await refundAll(invoiceId);
    expect(await balanceOf(user)).to.equal(big);
    expect(await change(user, serviceId, cheap)).to.equal(small / 2);
    expect(await balanceOf(user)).to.equal(big - small / 2);
  });

  it('leaves for a refund what it has not given back itself', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(big);
    const { serviceId, invoiceId } = await buy(user, dear.id);
    billing.setTime(halfOver);
    await change(user, serviceId, cheap);
    await refundAll(invoiceId);
    expect(await balanceOf(user)).to.equal(big);
  });

  it('counts the part that a refund has left', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(big);
    const { serviceId, invoiceId } = await buy(user, dear.id);
    const part = RefundInvoiceRequest.create({
      invoiceId,
      destination: CREDITS,
      reason: 'slow',
      amount: { amountMinor: big / 3, currency: 'EUR' },
    });
    await billing.invoices.refundInvoice(part);
    billing.setTime(halfOver);
    await change(user, serviceId, cheap);
    expect(await balanceOf(user)).to.equal(big / 3 + (big * 2) / 3 / 2 - small / 2);
  });

  it('gives nothing for a price that an operator has set and nobody has paid', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(small);
    const { serviceId } = await buy(user, cheap.id);
    const price = { amountMinor: 100_000, currency: 'EUR' };
    await billing.services.updateService({
      serviceId,
      price,
      nextDueTime: undefined,
      action: UpdateServiceRequest_Action.UNSPECIFIED,
      keepInvoicing: false,
    });
    billing.setTime(halfOver);
    await billing.grant(user, big);
    expect(await change(user, serviceId, dear)).to.equal((big - small) / 2);
  });

  it('gives nothing for time that an operator has given', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(big);
    const { serviceId } = await buy(user, dear.id);
    const nextDueTime = new Date('2026-07-01T00:00:00Z');
    await billing.services.updateService({
      serviceId,
      price: undefined,
      nextDueTime,
      action: UpdateServiceRequest_Action.UNSPECIFIED,
      keepInvoicing: false,
    });
    billing.setTime(halfOver);
    await change(user, serviceId, cheap);
    // For 76 of 91 days that the price of 30 was spread over: 2505; the other plan costs 2500 for as long.
    expect(await balanceOf(user)).to.equal(5);
  });

  it('gives back no set-up fee', async () => {
    const { dear, cheap } = await twoProducts(500);
    const user = await customer(big + 500);
    const { serviceId } = await buy(user, dear.id);
    billing.setTime(halfOver);
    await change(user, serviceId, cheap);
    expect(await balanceOf(user)).to.equal((big - small) / 2);
  });

  it('gives back the share of one of several services, and the rest with the others', async () => {
    const { dear, cheap } = await twoProducts();
    const user = await customer(3 * big);
    const { serviceIds, invoiceId } = await buy(user, dear.id, { quantity: 3 });
    billing.setTime(halfOver);
    for (const [index, serviceId] of serviceIds.entries()) {
      await change(user, serviceId, cheap);
      expect(await balanceOf(user)).to.equal(((index + 1) * (big - small)) / 2);
    }
    await refundAll(invoiceId);
    expect(await balanceOf(user)).to.equal(3 * big);
  });

  it('gives back the tax that was paid, on a credit note', async () => {
    billing.settings.taxRateBasisPoints = 2_000;
    const { dear, cheap } = await twoProducts();
    const user = await customer(big * 1.2);
    const { serviceId, invoiceId } = await buy(user, dear.id);
    billing.setTime(halfOver);
    expect(await change(user, serviceId, cheap)).to.equal(-((big - small) / 2) * 1.2);
    expect(await balanceOf(user)).to.equal(((big - small) / 2) * 1.2);
    const note = (await invoicesOf(user)).find(({ correctsInvoiceId }) => correctsInvoiceId === invoiceId);
    expect([note?.subtotal?.amountMinor, note?.tax?.amountMinor]).to.deep.equal([
      -(big - small) / 2,
      -(big - small) / 10,
    ]);
  });

  it('takes a unit of the stock and of the limit of the other product, and returns the one it had', async () => {
    const { dear, cheap } = await twoProducts();
    await billing.context.products.update(dear.id, { stock: 1, perUserLimit: 1 });
    await billing.context.products.update(cheap.id, { stock: 5 });
    const stockOf = async ({ id }: Product) => (await billing.context.products.get(id))?.stock;
    const user = await customer(10 * big);
    const { serviceIds } = await buy(user, cheap.id, { quantity: 3 });
    expect(await stockOf(cheap)).to.equal(2);
    billing.setTime(halfOver);
    const problems = await Promise.all(serviceIds.map(async (id) => problemsOf(change(user, id, dear))));
    expect(problems.filter((problem) => problem.length === 0)).to.have.length(1);
    expect(problems.flat(2)).to.deep.equal(Array.from({ length: 2 }, () => 'has not enough left in stock'));
    await billing.runUntilIdle();
    expect([await stockOf(dear), await stockOf(cheap)]).to.deep.equal([0, 3]);

    await billing.context.products.update(dear.id, { stock: 1 });
    const other = serviceIds[problems.findIndex((problem) => problem.length > 0)] ?? '';
    expect(await problemsOf(change(user, other, dear))).to.deep.equal([
      ['cannot be bought that often by one customer'],
    ]);
    expect(await stockOf(dear)).to.equal(1);

    const moved = serviceIds[problems.findIndex((problem) => problem.length === 0)] ?? '';
    await change(user, moved, cheap);
    await billing.runUntilIdle();
    expect([await stockOf(dear), await stockOf(cheap)]).to.deep.equal([2, 2]);
    const cancel = { serviceId: moved, immediately: true, reason: '' };
    await billing.services.cancelService(cancel, billing.as(user));
    await billing.runUntilIdle();
    expect([await stockOf(dear), await stockOf(cheap)]).to.deep.equal([2, 3]);
  });

  it('holds the unit while its invoice waits, and returns it with the invoice', async () => {
    const { dear, cheap } = await twoProducts();
    await billing.context.products.update(dear.id, { stock: 1 });
    const stockOf = async ({ id }: Product) => (await billing.context.products.get(id))?.stock;
    const user = await customer(small);
    const { serviceId } = await buy(user, cheap.id);
    const request = { serviceId, productId: dear.id, planId: '', paymentMethod: 'manual' };
    const { invoiceId } = await billing.services.changePlan(request, billing.as(user));
    billing.advance(3_600_000);
    await billing.runUntilIdle();
    expect(await stockOf(dear)).to.equal(0);
    const status = { invoiceId, status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(status, billing.as(newUserId(), ['billing.update', 'billing.view']));
    await billing.runUntilIdle();
    expect(await stockOf(dear)).to.equal(1);
    await billing.services.changePlan(request, billing.as(user));
    await billing.services.cancelService({ serviceId, immediately: true, reason: '' }, billing.as(user));
    await billing.runUntilIdle();
    expect(await stockOf(dear)).to.equal(1);
  });

  it('keeps the coupon of one product from another, also at renewals', async () => {
    const { dear, cheap } = await twoProducts();
    await coupon({ productIds: [cheap.id], recurring: null });
    const user = await customer(0);
    const { serviceId } = await buy(user, cheap.id, { couponCode: 'OFF' });
    billing.setTime(halfOver);
    await billing.grant(user, big / 2 + big);
    expect(await change(user, serviceId, dear)).to.equal(big / 2);
    billing.setTime(new Date('2026-04-28T00:00:00Z'));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(0);
  });

  it('takes a coupon off the next invoice again when the one before is void', async () => {
    const product = await priced(big);
    await coupon({ value: 50, recurring: 2 });
    const user = await customer(big / 2);
    await buy(user, product.id, { couponCode: 'OFF' });
    billing.setTime(new Date('2026-04-25T00:00:00Z'));
    await billing.runUntilIdle();
    const open = async () => (await invoicesOf(user)).find(({ status }) => status === Invoice_Status.UNPAID);
    const first = await open();
    expect(first?.total?.amountMinor).to.equal(big / 2);
    const status = { invoiceId: first?.id ?? '', status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(status, billing.as(newUserId(), ['billing.update', 'billing.view']));
    await billing.runUntilIdle();
    const second = await open();
    expect(second?.id).not.to.equal(first?.id);
    expect(second?.total?.amountMinor).to.equal(big / 2);
  });
});
