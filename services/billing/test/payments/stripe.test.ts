import { expect } from 'chai';
import { createStripeGateway } from '../../src/payments/stripe/gateway.js';
import { itHoldsTheGatewayContract } from './contract.js';
import { FakeStripe, stripeKeys } from './fake-stripe.js';
import { euros, invoiceId, type ProviderFixture, reasonOf, sessionRequest } from './fixture.js';
import { itHoldsTheProviderContract, itRefusesForgedWebhooks } from './provider-contract.js';

const attemptTimeoutMs = 400;

async function startStripe(): Promise<ProviderFixture & { readonly provider: FakeStripe }> {
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
    checkout: 'redirect',
    paths: { checkout: '/checkout/sessions', refund: '/refunds' },
    secrets: Object.values(stripeKeys),
    signatureHeader: 'stripe-signature',
    maxAgeSeconds: 300,
    count: (what) => (what === 'payment_sessions' ? provider.sessionCount : provider.refundCount),
    pay: (reference, options) =>
      provider.deliver(provider.pay(reference), {
        ...(options?.ageSeconds !== undefined && { ageSeconds: options.ageSeconds }),
        ...(options?.isForged && { secret: 'whsec_of_somebody_else' }),
      }),
    payWrongly: (reference, { amount, invoiceId: otherInvoice }) =>
      provider.deliver(
        provider.pay(reference, {
          ...(amount && { amount: amount.amountMinor, currency: amount.currency.toLowerCase() }),
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
  itHoldsTheProviderContract(startStripe);
  itRefusesForgedWebhooks(startStripe);

  describe('with Stripe itself', () => {
    let fixture: Awaited<ReturnType<typeof startStripe>>;

    beforeEach(async () => {
      fixture = await startStripe();
    });

    afterEach(() => fixture.stop());

    it('keeps the payment method for later and charges it without the customer', async () => {
      const { gateway } = fixture;
      const { gatewayReference } = await gateway.createSession(sessionRequest({ savePaymentMethod: true }));
      const events = await gateway.parseWebhook(fixture.pay(gatewayReference));
      expect(events[0]).to.include({ cardCountry: 'FR' });
      expect(events.map(({ type }) => type)).to.deep.equal(['paid', 'method_saved']);
      const saved = events[1];
      if (saved?.type !== 'method_saved') throw new Error('no method was saved');
      expect(saved.label).to.equal('visa •••• 4242');
      const charge = await gateway.chargeStored({ ...sessionRequest(), method: saved.method });
      expect(charge.kind).to.equal('paid');
      const [request] = fixture.server.requestsTo('/payment_intents');
      const form = new URLSearchParams(request?.body);
      expect(Object.fromEntries(form)).to.include({ off_session: 'true', confirm: 'true', customer: 'cus_saved' });
    });

    it('charges a stored method once when the answer is lost', async () => {
      fixture.server.inject('/payment_intents', { kind: 'lose_answer' });
      const method = { customerReference: 'cus_1', methodReference: 'pm_1' };
      expect((await fixture.gateway.chargeStored({ ...sessionRequest(), method })).kind).to.equal('paid');
      expect(fixture.provider.intentCount).to.equal(1);
    });

    it('says why a stored card was declined', async () => {
      const method = { customerReference: 'cus_1', methodReference: 'pm_declined' };
      const result = await fixture.gateway.chargeStored({ ...sessionRequest(), method });
      expect(result).to.deep.equal({ kind: 'declined', code: 'insufficient_funds' });
    });

    it('reports a payment session that expired, once', async () => {
      const { gatewayReference } = await fixture.gateway.createSession(sessionRequest());
      const webhook = fixture.provider.deliver(fixture.provider.expire(gatewayReference));
      const [event] = await fixture.gateway.parseWebhook(webhook);
      expect(event).to.include({ type: 'failed', code: 'expired', invoiceId, sessionReference: gatewayReference });
      const [confirmed] = await fixture.gateway.confirmSession(gatewayReference);
      expect(confirmed?.eventId).to.equal(event?.eventId);
    });

    it('refuses a key that is used for another payment', async () => {
      const request = sessionRequest();
      await fixture.gateway.createSession(request);
      const other = { ...request, amount: euros(99) };
      expect(await reasonOf(fixture.gateway.createSession(other))).to.equal('GATEWAY_REJECTED');
    });

    it('sends and reads the units of currencies with other digits', async () => {
      for (const [currency, amountMinor, sent] of [
        ['JPY', 1234, '1234'],
        ['KWD', 12_340, '12340'],
        ['ISK', 500, '50000'],
      ] as const) {
        const { gatewayReference } = await fixture.gateway.createSession(
          sessionRequest({ amount: { amountMinor, currency } }),
        );
        const request = fixture.server.requestsTo('/checkout/sessions').at(-1);
        expect(new URLSearchParams(request?.body).get('line_items[0][price_data][unit_amount]')).to.equal(sent);
        const [event] = await fixture.gateway.parseWebhook(fixture.pay(gatewayReference));
        expect(event?.amount).to.deep.equal({ amountMinor, currency });
      }
    });
  });
});
