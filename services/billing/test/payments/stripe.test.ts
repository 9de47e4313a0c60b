import { expect } from 'chai';
import { createStripeGateway } from '../../src/payments/stripe/gateway.js';
import { itHoldsTheGatewayContract } from './contract.js';
import { FakeStripe, stripeKeys } from './fake-stripe.js';
import { checkoutRequest, euros, invoiceId, type GatewayFixture, refusalOf } from './fixture.js';

const attemptTimeoutMs = 400;

async function startStripe(): Promise<GatewayFixture & { readonly provider: FakeStripe }> {
  const clock = { now: new Date('2026-03-01T12:00:00Z') };
  const provider = new FakeStripe(() => clock.now);
  const server = await provider.start();
  const settings = { ...stripeKeys, apiBase: server.address, attemptTimeoutMs };
  return {
    provider,
    server,
    clock,
    attemptTimeoutMs,
    gateway: createStripeGateway(settings, () => clock.now),
    paths: { checkout: '/checkout/sessions', refund: '/refunds' },
    secrets: Object.values(stripeKeys),
    signatureHeader: 'stripe-signature',
    maxAgeSeconds: 300,
    count: (what) => (what === 'checkouts' ? provider.sessionCount : provider.refundCount),
    pay: (reference, options) =>
      provider.deliver(provider.pay(reference), {
        ...(options?.ageSeconds !== undefined && { ageSeconds: options.ageSeconds }),
        ...(options?.isForged && { secret: 'whsec_of_somebody_else' }),
      }),
    payWrongly: (reference, { amount, invoiceId: otherInvoice }) =>
      provider.deliver(
        provider.pay(reference, {
          ...(amount && { amount: amount.amount, currency: amount.currency.toLowerCase() }),
          ...(otherInvoice && { metadata: { invoice_id: otherInvoice, customer_id: 'c' } }),
        }),
      ),
    reportAgain: (reference) => provider.deliver(provider.reportAgain(reference)),
    reportRefund: (reference) => provider.deliver(provider.refundEvent(reference)),
    reportDispute: (reference, outcome) =>
      provider.deliver(provider.disputeEvent(reference, outcome === 'open' ? 'needs_response' : outcome)),
    reportForeignPayment: () => provider.deliver(provider.foreignPayment()),
    reportUnknownKind: () => provider.deliver(provider.event('customer.created', { id: 'cus_1', object: 'customer' })),
    stop: () => server.stop(),
  };
}

describe('the Stripe gateway', () => {
  itHoldsTheGatewayContract(startStripe);

  describe('with Stripe itself', () => {
    let fixture: Awaited<ReturnType<typeof startStripe>>;

    beforeEach(async () => {
      fixture = await startStripe();
    });

    afterEach(() => fixture.stop());

    it('keeps the payment method for later and charges it without the customer', async () => {
      const { gateway } = fixture;
      const { gatewayReference } = await gateway.createCheckout(checkoutRequest({ savePaymentMethod: true }));
      const events = await gateway.parseWebhook(fixture.pay(gatewayReference));
      expect(events.map(({ kind }) => kind)).to.deep.equal(['paid', 'method_saved']);
      const saved = events[1];
      if (saved?.kind !== 'method_saved') throw new Error('no method was saved');
      expect(saved.label).to.equal('visa •••• 4242');
      const charge = await gateway.chargeStored({ ...checkoutRequest(), methodReference: saved.methodReference });
      expect(charge.kind).to.equal('paid');
      const [request] = fixture.server.requestsTo('/payment_intents');
      const form = new URLSearchParams(request?.body);
      expect(Object.fromEntries(form)).to.include({ off_session: 'true', confirm: 'true', customer: 'cus_saved' });
    });

    it('charges a stored method once when the answer is lost', async () => {
      fixture.server.inject('/payment_intents', { kind: 'lose_answer' });
      expect(
        (await fixture.gateway.chargeStored({ ...checkoutRequest(), methodReference: 'cus_1/pm_1' })).kind,
      ).to.equal('paid');
      expect(fixture.provider.intentCount).to.equal(1);
    });

    it('declines a method that was not kept here', async () => {
      const result = await fixture.gateway.chargeStored({
        ...checkoutRequest(),
        methodReference: 'pm_1&customer=cus_2',
      });
      expect(result).to.deep.equal({ kind: 'declined', reason: 'unknown_method' });
      expect(fixture.server.received).to.have.length(0);
    });

    it('says why a stored card was declined', async () => {
      const result = await fixture.gateway.chargeStored({ ...checkoutRequest(), methodReference: 'cus_1/pm_declined' });
      expect(result).to.deep.equal({ kind: 'declined', reason: 'insufficient_funds' });
    });

    it('reports a checkout that expired, once', async () => {
      const { gatewayReference } = await fixture.gateway.createCheckout(checkoutRequest());
      const webhook = fixture.provider.deliver(fixture.provider.expire(gatewayReference));
      const [event] = await fixture.gateway.parseWebhook(webhook);
      expect(event).to.include({ kind: 'failed', reason: 'expired', invoiceId });
      const [confirmed] = await fixture.gateway.confirmCheckout(gatewayReference);
      expect(confirmed?.eventId).to.equal(event?.eventId);
    });

    it('refuses a key that is used for another payment', async () => {
      const request = checkoutRequest();
      await fixture.gateway.createCheckout(request);
      const other = { ...request, amount: euros(99) };
      expect(await refusalOf(fixture.gateway.createCheckout(other))).to.match(/^PAYMENT_REFUSED/);
    });

    it('sends and reads the units of currencies with other digits', async () => {
      for (const [currency, minor, sent] of [
        ['JPY', 1234, '1234'],
        ['KWD', 12_340, '12340'],
        ['ISK', 500, '50000'],
      ] as const) {
        const { gatewayReference } = await fixture.gateway.createCheckout(
          checkoutRequest({ amount: { amount: minor, currency } }),
        );
        const request = fixture.server.requestsTo('/checkout/sessions').at(-1);
        expect(new URLSearchParams(request?.body).get('line_items[0][price_data][unit_amount]')).to.equal(sent);
        const [event] = await fixture.gateway.parseWebhook(fixture.pay(gatewayReference));
        expect(event).to.deep.include({ amount: { amount: minor, currency } });
      }
    });
  });
});
