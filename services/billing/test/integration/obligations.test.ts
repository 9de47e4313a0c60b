import { randomUUID } from 'node:crypto';
import { CheckoutRequest, Invoice_Status } from '@panel/protos/billing';
import { expect } from 'chai';
import { euroMessage, newUserId, type RunningBilling, startTestBilling } from '../harness.js';

describe('the obligations of a user', function () {
  this.timeout(60_000);
  let billing: RunningBilling;
  before(async () => {
    billing = await startTestBilling();
  });
  after(async () => billing.stop());

  const buy = async (userId: string, productId: string, paymentMethod: string) =>
    billing.orders.checkout(
      CheckoutRequest.create({ paymentMethod, items: [{ productId, planId: '', quantity: 1, config: undefined }] }),
      billing.as(userId),
    );
  const nothing = { credits: [], openInvoicesCount: 0, openInvoicesDue: [], activeServicesCount: 0, debts: [] };

  it('counts nothing for a user who bought nothing', async () => {
    expect(await billing.obligations.getObligations({ userId: newUserId() })).to.deep.equal(nothing);
  });

  it('counts the balance, the unpaid rest of invoices and the services that have not ended', async () => {
    const [userId, other] = [newUserId(), newUserId()];
    const product = await billing.sell();
    await billing.grant(other, 7_000);
    await billing.grant(userId, 1_000);
    const { services } = await buy(userId, product.id, 'credits');
    await billing.runUntilIdle();
    const { invoice } = await buy(userId, product.id, 'manual');
    expect(await billing.obligations.getObligations({ userId })).to.deep.equal({
      credits: [euroMessage(501)],
      openInvoicesCount: 1,
      openInvoicesDue: [euroMessage(499)],
      activeServicesCount: 1,
      debts: [],
    });
    const usage = { id: randomUUID(), amountMinor: -700, reason: 'usage' as const, note: '', reference: '' };
    const debtor = newUserId();
    const entry = { ...usage, userId: debtor, currency: 'EUR', createdAt: billing.now() };
    await billing.context.credits.post(entry, { mayOwe: true });
    const owing = await billing.obligations.getObligations({ userId: debtor });
    expect(owing).to.deep.equal({ ...nothing, debts: [euroMessage(700)] });

    const staff = billing.as(newUserId(), ['billing.view', 'billing.update']);
    const voided = { invoiceId: invoice?.id ?? '', status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(voided, staff);
    await billing.credits.grantCredits(
      { userId, amount: { amountMinor: -501, currency: 'EUR' }, reason: 'paid out' },
      staff,
    );
    const serviceId = services[0]?.id ?? '';
    await billing.services.cancelService({ serviceId, immediately: true, reason: '' }, billing.as(userId));
    await billing.runUntilIdle();
    expect(await billing.obligations.getObligations({ userId })).to.deep.equal(nothing);
  });
});
