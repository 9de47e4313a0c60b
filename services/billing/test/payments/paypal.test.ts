import { expect } from 'chai';
import { createPayPalGateway } from '../../src/payments/paypal/gateway.js';
import { itHoldsTheGatewayContract } from './contract.js';
import { FakePayPal, payPalKeys } from './fake-paypal.js';
import { invoiceId, type ProviderFixture, reasonOf, sessionRequest } from './fixture.js';
import { itHoldsTheProviderContract, itRefusesForgedWebhooks } from './provider-contract.js';

const attemptTimeoutMs = 400;
const outcomes = { open: undefined, won: 'RESOLVED_SELLER_FAVOUR', lost: 'RESOLVED_BUYER_FAVOUR' };

async function startPayPal(): Promise<ProviderFixture & { readonly provider: FakePayPal }> {
  const clock = { now: new Date('2026-03-01T12:00:00Z') };
  const provider = new FakePayPal(() => clock.now);
  const server = await provider.start();
  const settings = { ...payPalKeys, apiBase: server.address, attemptTimeoutMs };
  return {
    provider,
    server,
    clock,
    attemptTimeoutMs,
    gateway: createPayPalGateway(settings, () => clock.now),
    checkout: 'redirect',
    paths: { checkout: '/checkout/orders', refund: '/refund' },
    secrets: [payPalKeys.clientSecret, 'token1', 'token2'],
    signatureHeader: 'paypal-transmission-sig',
    maxAgeSeconds: 3 * 86_400 + 3600,
    count: (what) => (what === 'payment_sessions' ? provider.orderCount : provider.refundCount),
    pay: (reference, options) =>
      provider.deliver(options ? provider.captureEvent(reference) : provider.approve(reference), {
        ...(options?.ageSeconds !== undefined && { ageSeconds: options.ageSeconds }),
        ...(options?.isForged && { foreign: true }),
      }),
    payWrongly: (reference, { amount, invoiceId: otherInvoice }) =>
      provider.deliver(
        provider.captureEvent(reference, {
          ...(amount && {
            amount: {
              currency_code: amount.currency,
              value:
                amount.currency === 'HUF' ? String(amount.amountMinor / 100) : (amount.amountMinor / 100).toFixed(2),
            },
          }),
          ...(otherInvoice && { custom_id: otherInvoice }),
        }),
      ),
    reportAgain: (reference) => provider.deliver(provider.captureEvent(reference)),
    reportRefund: (reference) => provider.deliver(provider.refundEvent(reference)),
    reportDispute: (reference, outcome) =>
      provider.deliver(
        provider.disputeEvent(
          reference,
          outcome === 'open' ? 'WAITING_FOR_SELLER_RESPONSE' : 'RESOLVED',
          outcomes[outcome],
        ),
      ),
    reportForeignPayment: () => provider.deliver(provider.foreignPayment()),
    reportUnknownKind: () => provider.deliver(provider.event('CATALOG.PRODUCT.CREATED', { id: 'P1' })),
    stop: () => server.stop(),
  };
}

describe('the PayPal gateway', () => {
  itHoldsTheGatewayContract(startPayPal);
  itHoldsTheProviderContract(startPayPal);
  itRefusesForgedWebhooks(startPayPal);

  describe('with PayPal itself', () => {
    let fixture: Awaited<ReturnType<typeof startPayPal>>;

    beforeEach(async () => {
      fixture = await startPayPal();
    });

    afterEach(() => fixture.stop());

    const begin = async () => (await fixture.gateway.createSession(sessionRequest())).gatewayReference;

    it('captures an approved order once, whoever asks', async () => {
      const reference = await begin();
      const webhook = fixture.provider.deliver(fixture.provider.approve(reference));
      const answers = await Promise.all([
        fixture.gateway.parseWebhook(webhook),
        fixture.gateway.parseWebhook(webhook),
        fixture.gateway.confirmSession(reference),
      ]);
      expect(new Set(answers.map(([event]) => event?.eventId)).size).to.equal(1);
      expect(fixture.provider.captureCount).to.equal(1);
    });

    it('reports the payment when the answer to its capture is lost', async () => {
      const reference = await begin();
      fixture.server.inject('/capture', { kind: 'lose_answer' });
      const [event] = await fixture.gateway.parseWebhook(fixture.provider.deliver(fixture.provider.approve(reference)));
      expect(event).to.include({ type: 'paid', invoiceId });
      expect(fixture.provider.captureCount).to.equal(1);
    });

    it('reports a capture that PayPal reviews as pending, and as paid once it is complete', async () => {
      const reference = await begin();
      fixture.provider.approve(reference);
      fixture.provider.captureEvent(reference, { status: 'PENDING' });
      const [pending] = await fixture.gateway.confirmSession(reference);
      expect(pending).to.include({ type: 'pending', invoiceId });
      const late = { ...fixture.provider.captureEvent(reference), event_type: 'PAYMENT.CAPTURE.PENDING' };
      const completed = fixture.provider.captureEvent(reference, { status: 'COMPLETED' });
      expect((await fixture.gateway.parseWebhook(fixture.provider.deliver(late)))[0]?.type).to.equal('paid');
      const [paid] = await fixture.gateway.parseWebhook(fixture.provider.deliver(completed));
      expect(paid).to.include({ type: 'paid', gatewayReference: pending?.gatewayReference });
    });

    it('reports an instrument that was declined', async () => {
      const reference = await begin();
      fixture.provider.declineNextCapture = true;
      const [event] = await fixture.gateway.parseWebhook(fixture.provider.deliver(fixture.provider.approve(reference)));
      expect(event).to.include({ type: 'failed', code: 'instrument_declined', invoiceId });
    });

    it('asks for one token for many calls, until it expires', async () => {
      await Promise.all([begin(), begin(), begin()]);
      expect(fixture.server.requestsTo('/oauth2/token')).to.have.length(1);
      fixture.clock.now = new Date(fixture.clock.now.getTime() + 32_400_000 - 59_000);
      await begin();
      expect(fixture.server.requestsTo('/oauth2/token')).to.have.length(2);
    });

    it('replaces a token that was revoked before its time', async () => {
      await begin();
      fixture.provider.revokeTokens();
      await begin();
      expect(fixture.server.requestsTo('/oauth2/token')).to.have.length(2);
    });

    it('fetches no address that a webhook names', async () => {
      const webhook = fixture.pay(await begin(), {});
      const headers = { ...webhook.headers, 'paypal-cert-url': [`${fixture.server.address}/evil-certificate`] };
      await fixture.gateway.parseWebhook({ ...webhook, headers });
      expect(fixture.server.requestsTo('evil', 'GET')).to.have.length(0);
    });

    it('asks PayPal only for captures by id, wherever a refund links to', async () => {
      const { provider, server, gateway } = fixture;
      const resource = {
        id: 'R1',
        status: 'COMPLETED',
        links: [{ rel: 'up', href: `${server.address}/evil/captures/X` }],
      };
      const webhook = provider.deliver(provider.event('PAYMENT.CAPTURE.REFUNDED', resource));
      expect(await gateway.parseWebhook(webhook)).to.deep.equal([]);
      expect(server.requestsTo('evil', 'GET')).to.have.length(0);
    });

    it('sends and reads amounts of currencies without decimals', async () => {
      const amount = { amountMinor: 1234, currency: 'JPY' };
      const { gatewayReference } = await fixture.gateway.createSession(sessionRequest({ amount }));
      expect(fixture.server.requestsTo('/checkout/orders').at(-1)?.body).to.include('"value":"1234"');
      const [event] = await fixture.gateway.parseWebhook(fixture.pay(gatewayReference));
      expect(event?.amount).to.deep.equal(amount);
    });

    it('refuses currencies PayPal does not have before it calls', async () => {
      const amount = { amountMinor: 1234, currency: 'KWD' };
      const reason = await reasonOf(fixture.gateway.createSession(sessionRequest({ amount })));
      expect(reason).to.equal('CURRENCY_NOT_SUPPORTED');
      expect(fixture.gateway.canCharge(amount)).to.equal(false);
      expect(fixture.server.received).to.have.length(0);
    });
  });
});
