import {
  CheckoutRequest,
  Invoice_Status,
  InvoiceDocument_Format,
  ListServicesRequest,
  Scope,
  Service_Status,
} from '@panel/protos/billing';
import { expect } from 'chai';
import type { WebhookRequest } from '../../src/domain/payment.js';
import { createStripeGateway } from '../../src/payments/stripe/gateway.js';
import { newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import { FakeStripe, stripeKeys } from '../payments/fake-stripe.js';
import type { FaultServer } from '../payments/fault-server.js';

describe('Payment through Stripe', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  let stripe: FakeStripe;
  let server: FaultServer;

  before(async () => {
    billing = await startTestBilling();
    stripe = new FakeStripe(() => billing.now());
    server = await stripe.start();
    const settings = { ...stripeKeys, apiBase: server.address, attemptTimeoutMs: 2000 };
    billing.gateways.set(
      'stripe',
      createStripeGateway(settings, () => billing.now()),
    );
  });
  after(async () => {
    await billing.stop();
    await server.stop();
  });

  const order = async (userId: string) => {
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'stripe', items });
    const answer = await billing.orders.checkout(request, billing.as(userId));
    const sessionId = answer.paymentUrl.split('/').at(-1) ?? '';
    return { answer, sessionId, invoiceId: answer.invoice?.id ?? '' };
  };
  const receive = async ({ rawBody, headers }: WebhookRequest) => {
    const single = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));
    return billing.payments.receiveWebhook({ gateway: 'stripe', rawBody: Buffer.from(rawBody), headers: single });
  };
  const invoiceOf = async (userId: string, invoiceId: string) =>
    (await billing.invoices.getInvoice({ invoiceId }, billing.as(userId))).invoice;

  it('sends the customer to the payment page, and the webhook pays the invoice and starts the server', async () => {
    const user = newUserId();
    const { answer, sessionId, invoiceId } = await order(user);
    expect(answer.invoice?.status).to.equal(Invoice_Status.UNPAID);
    expect(answer.paymentUrl).to.match(/^https:/);
    await receive(stripe.deliver(stripe.pay(sessionId)));
    await billing.runUntilIdle();
    const paid = await invoiceOf(user, invoiceId);
    expect(paid?.status).to.equal(Invoice_Status.PAID);
    expect(paid?.payments).to.have.length(1);
    expect(paid?.payments[0]).to.deep.include({ method: 'stripe', amount: paid?.total });
    const { services } = await billing.services.listServices(
      ListServicesRequest.create({ scope: Scope.OWN }),
      billing.as(user),
    );
    expect(services.map(({ status }) => status)).to.deep.equal([Service_Status.ACTIVE]);
    await billing.checkInvariants();
  });

  it('books a payment once, however often, by whatever event and in whatever number at a time it is reported', async () => {
    const user = newUserId();
    const { sessionId, invoiceId } = await order(user);
    const completed = stripe.deliver(stripe.pay(sessionId));
    const succeeded = stripe.deliver(stripe.reportAgain(sessionId));
    await Promise.allSettled(
      Array.from({ length: 50 }, async (_, index) => receive(index % 2 ? completed : succeeded)),
    );
    await receive(completed);
    await billing.runUntilIdle();
    expect((await invoiceOf(user, invoiceId))?.payments).to.have.length(1);
    expect((await billing.credits.getCredits({ userId: '' }, billing.as(user))).balance?.amountMinor).to.equal(0);
    await billing.checkInvariants();
  });

  it('refuses to pay an invoice with less than its total', async () => {
    const user = newUserId();
    const { sessionId, invoiceId } = await order(user);
    await receive(stripe.deliver(stripe.pay(sessionId, { amount: 1 })));
    await billing.runUntilIdle();
    expect((await invoiceOf(user, invoiceId))?.status).to.equal(Invoice_Status.UNPAID);
  });

  it('refuses to book money of another currency', async () => {
    const user = newUserId();
    const { sessionId, invoiceId } = await order(user);
    expect(await reasonOf(receive(stripe.deliver(stripe.pay(sessionId, { currency: 'huf' }))))).not.to.equal(null);
    await billing.runUntilIdle();
    const invoice = await invoiceOf(user, invoiceId);
    expect(invoice?.status).to.equal(Invoice_Status.UNPAID);
    expect(invoice?.payments).to.deep.equal([]);
  });

  it('refuses a forged webhook, an old one and one for a gateway that is not set up', async () => {
    const user = newUserId();
    const { sessionId, invoiceId } = await order(user);
    const event = stripe.pay(sessionId);
    for (const webhook of [
      stripe.deliver(event, { secret: 'whsec_of_somebody_else' }),
      stripe.deliver(event, { ageSeconds: 3600 }),
      { ...stripe.deliver(event), headers: {} },
    ]) {
      expect(await reasonOf(receive(webhook))).to.equal('WEBHOOK_SIGNATURE_INVALID');
    }
    const unknown = { gateway: 'paypal', rawBody: Buffer.from('{}'), headers: {} };
    expect(await reasonOf(billing.payments.receiveWebhook(unknown))).to.equal('GATEWAY_NOT_FOUND');
    expect((await invoiceOf(user, invoiceId))?.payments).to.deep.equal([]);
  });

  it('takes webhooks from the gateway only', async () => {
    const webhook = { gateway: 'stripe', rawBody: Buffer.from('{}'), headers: {} };
    expect(await reasonOf(billing.payments.receiveWebhook(webhook, billing.as(newUserId())))).to.equal(
      'SERVICE_REQUIRED',
    );
  });

  it('prints an invoice as HTML and PDF for its owner and for staff, and hides it from others', async () => {
    const user = newUserId();
    const { invoiceId, answer } = await order(user);
    const render = async (format: InvoiceDocument_Format, as: { actorToken: string }) =>
      (await billing.invoices.renderInvoice({ invoiceId, format }, as)).document;
    const html = await render(InvoiceDocument_Format.HTML, billing.as(user));
    expect(html?.content.toString())
      .to.include(`Rechnung ${answer.invoice?.number}`)
      .and.match(/^<!doctype html>/);
    const pdf = await render(InvoiceDocument_Format.PDF, billing.as(newUserId(), ['billing.view']));
    expect(pdf?.content.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(pdf?.fileName).to.equal(`${answer.invoice?.number}.pdf`);
    const foreign = render(InvoiceDocument_Format.PDF, billing.as(newUserId()));
    expect(await reasonOf(foreign)).to.equal('INVOICE_NOT_FOUND');
  });
});
