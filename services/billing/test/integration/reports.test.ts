import {
  CheckoutRequest,
  GetTaxRequest_Basis,
  Invoice_Status,
  RefundInvoiceRequest_Destination,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';

const price = 499;

describe('the reports for operators', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => billing.stop());

  const staff = () => billing.as(newUserId(), ['billing.view', 'billing.update']);
  const buy = async (user: string, productId: string) => {
    await billing.grant(user, 2 * price);
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
    const { invoice, services } = await billing.orders.checkout(request, billing.as(user));
    await billing.runUntilIdle();
    return { invoiceId: invoice?.id ?? '', serviceId: services[0]?.id ?? '' };
  };

  it('sums revenue by month and product, without tax, refunds taken off in their own month', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const product = await billing.sell();
    const german = newUserId();
    const profile = { name: 'Ada', company: '', address: '', country: 'DE', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(german));
    await buy(german, product.id);
    const { invoiceId } = await buy(newUserId(), product.id);
    billing.setTime(new Date('2026-02-02T12:00:00Z'));
    const refund = { invoiceId, amount: { amountMinor: 100, currency: 'EUR' }, reason: 'test', cancelServices: false };
    await billing.invoices.refundInvoice(
      { ...refund, destination: RefundInvoiceRequest_Destination.CREDITS },
      billing.as(newUserId(), ['billing.update', 'billing.view'], newUserId()),
    );
    await billing.runUntilIdle();
    const { rows } = await billing.reports.getRevenue({ fromMonth: '2026-01', toMonth: '2026-02' }, staff());
    const sums = rows.map(({ month, productId, revenue }) => [month, productId, revenue?.amountMinor]);
    expect(sums[0]).to.deep.equal(['2026-01', product.id, 2 * price]);
    expect(sums.slice(1).map(([month, , amount]) => [month, amount])).to.deep.equal([['2026-02', -100]]);
  });

  it('sums tax by month, country and rate, by the day of issue or of payment, without bought credits', async () => {
    billing.setTime(new Date('2026-01-30T12:00:00Z'));
    const product = await billing.sell();
    const german = newUserId();
    const profile = { name: 'Ada', company: '', address: '', country: 'DE', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(german));
    const { invoiceId } = await buy(german, product.id);
    await buy(newUserId(), product.id);
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const later = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice: unpaid } = await billing.orders.checkout(later, billing.as(german));
    const { invoice: voided } = await billing.orders.checkout(later, billing.as(german));
    const change = async (id: string, status: Invoice_Status) =>
      billing.invoices.updateInvoiceStatus({ invoiceId: id, status, reference: '' }, staff());
    await change(voided?.id ?? '', Invoice_Status.VOID);
    const credits = { amount: { amountMinor: 1_000, currency: 'EUR' }, paymentMethod: 'manual', returnUrl: '' };
    const { invoice: topUp } = await billing.credits.buyCredits(credits, billing.as(german));
    await change(topUp?.id ?? '', Invoice_Status.PAID);
    billing.setTime(new Date('2026-02-02T12:00:00Z'));
    await change(unpaid?.id ?? '', Invoice_Status.PAID);
    for (const [id, destination] of [
      [invoiceId, RefundInvoiceRequest_Destination.CREDITS],
      [topUp?.id ?? '', RefundInvoiceRequest_Destination.ORIGINAL],
    ] as const) {
      const refund = { invoiceId: id, amount: undefined, reason: 'test', cancelServices: false, destination };
      await billing.invoices.refundInvoice(refund, billing.as(newUserId(), ['billing.update', 'billing.view']));
    }
    await billing.runUntilIdle();
    const sums = async (basis: GetTaxRequest_Basis) => {
      const { rows } = await billing.reports.getTax({ fromMonth: '2026-01', toMonth: '2026-02', basis }, staff());
      return rows.map(({ month, country, rateBasisPoints, net, tax, total, invoices }) =>
        [month, country, rateBasisPoints, net?.amountMinor, tax?.amountMinor, total?.amountMinor, invoices].join(' '),
      );
    };
    expect(await sums(GetTaxRequest_Basis.ISSUED)).to.deep.equal([
      '2026-01  0 499 0 499 1',
      '2026-01 DE 1900 998 190 1188 2',
      '2026-02 DE 1900 -499 -95 -594 1',
    ]);
    expect(await sums(GetTaxRequest_Basis.PAID)).to.deep.equal([
      '2026-01  0 499 0 499 1',
      '2026-01 DE 1900 499 95 594 1',
      '2026-02 DE 1900 0 0 0 2',
    ]);
    const { rows: revenue } = await billing.reports.getRevenue({ fromMonth: '2026-01', toMonth: '2026-02' }, staff());
    expect(
      revenue.every(({ productId }) => productId === product.id),
      'credits are no revenue',
    ).to.equal(true);
  });

  it('counts a payment in the month of the seller', async () => {
    billing.settings.timezone = 'Europe/Berlin';
    billing.setTime(new Date('2026-01-31T23:30:00Z'));
    const product = await billing.sell();
    await buy(newUserId(), product.id);
    const { rows } = await billing.reports.getRevenue({ fromMonth: '', toMonth: '' }, staff());
    billing.settings.timezone = 'UTC';
    expect(rows.map(({ month }) => month)).to.deep.equal(['2026-02']);
  });

  it('counts what active services bring per month, and how many of those at its start have ended', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const product = await billing.sell();
    const users = Array.from({ length: 4 }, newUserId);
    const bought = [];
    for (const user of users) bought.push(await buy(user, product.id));
    billing.setTime(new Date('2026-02-03T12:00:00Z'));
    const cancel = { serviceId: bought[0]?.serviceId ?? '', immediately: true, reason: '' };
    await billing.services.cancelService(cancel, billing.as(users[0] ?? ''));
    await billing.runUntilIdle();
    const span = { fromMonth: '2026-01', toMonth: '2026-02' };
    const { rows } = await billing.reports.getRecurringRevenue(span, staff());
    expect(
      rows.map(({ month, recurringRevenue, activeServices, newServices, endedServices, churnBasisPoints }) => [
        month,
        recurringRevenue?.amountMinor,
        activeServices,
        newServices,
        endedServices,
        churnBasisPoints,
      ]),
    ).to.deep.equal([
      ['2026-01', 4 * price, 4, 4, 0, 0],
      ['2026-02', 3 * price, 3, 0, 1, 2_500],
    ]);
  });

  it('refuses odd months and customers', async () => {
    const odd = billing.reports.getRevenue({ fromMonth: '2026-13', toMonth: '' }, staff());
    expect(await fieldsOf(odd)).to.deep.equal(['from_month']);
    const turned = billing.reports.getRevenue({ fromMonth: '2026-05', toMonth: '2026-01' }, staff());
    expect(await fieldsOf(turned)).to.deep.equal(['from_month']);
    const customer = billing.reports.getRevenue({ fromMonth: '', toMonth: '' }, billing.as(newUserId()));
    expect(await reasonOf(customer)).to.equal('PERMISSION_MISSING');
  });
});
