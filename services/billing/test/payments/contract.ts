import { expect } from 'chai';
import type { PaymentEvent, WebhookRequest } from '../../src/domain/payment-gateway.js';
import type { ProviderGateway } from '../../src/payments/checkout-confirmation.js';
import { checkoutRequest, euros, type GatewayFixture, invoiceId, refusalOf } from './fixture.js';

type MoneyEvent = Extract<PaymentEvent, { kind: 'paid' | 'failed' | 'refunded' | 'disputed' }>;

const only = (events: readonly PaymentEvent[]): MoneyEvent => {
  expect(events).to.have.length(1);
  const [event] = events;
  if (!event || event.kind === 'method_saved') throw new Error('no event about money');
  return event;
};

/** What billing relies on, of every gateway. */
export function itHoldsTheGatewayContract(start: () => Promise<GatewayFixture>): void {
  let fixture: GatewayFixture;
  let gateway: ProviderGateway;

  beforeEach(async () => {
    fixture = await start();
    gateway = fixture.gateway;
  });

  afterEach(() => fixture.stop());

  const begin = async () => (await gateway.createCheckout(checkoutRequest())).gatewayReference;
  const paid = async () => only(await gateway.parseWebhook(fixture.pay(await begin())));

  describe('payments', () => {
    it('sends the customer to the payment page', async () => {
      const result = await gateway.createCheckout(checkoutRequest());
      if (result.kind !== 'redirect') throw new Error('the customer was sent nowhere');
      expect(new URL(result.url).protocol).to.equal('https:');
    });

    it('begins one checkout for one key', async () => {
      const request = checkoutRequest();
      const results = await Promise.all([1, 2, 3].map(() => gateway.createCheckout(request)));
      expect(new Set(results.map(({ gatewayReference }) => gatewayReference))).to.have.property('size', 1);
      expect(fixture.count('checkouts')).to.equal(1);
    });

    it('takes nothing and less than nothing for a defect of the caller', async () => {
      for (const amount of [0, -1, 0.5]) {
        const refusal = await refusalOf(gateway.createCheckout(checkoutRequest({ amount: euros(amount) })));
        expect(refusal).to.match(/^TypeError/);
      }
      expect(fixture.server.received).to.have.length(0);
    });

    it('reports a payment with its invoice and amount', async () => {
      const reference = await begin();
      const event = only(await gateway.parseWebhook(fixture.pay(reference)));
      expect(event).to.include({ kind: 'paid', invoiceId, reason: '' });
      expect(event.amount).to.deep.equal(euros(1234));
      expect(event.at.getTime()).to.be.closeTo(fixture.clock.now.getTime(), 1000);
    });

    it('gives one event id to one payment, by whichever way and however often it is reported', async () => {
      const reference = await begin();
      const webhook = fixture.pay(reference);
      const first = only(await gateway.parseWebhook(webhook));
      const replayed = only(await gateway.parseWebhook(webhook));
      const repeated = only(await gateway.parseWebhook(fixture.reportAgain(reference)));
      const confirmed = only(await gateway.confirmCheckout(reference));
      expect([replayed, repeated, confirmed].map(({ eventId }) => eventId)).to.deep.equal([
        first.eventId,
        first.eventId,
        first.eventId,
      ]);
    });

    it('confirms a payment whose webhook never came', async () => {
      const reference = await begin();
      expect(await gateway.confirmCheckout(reference)).to.deep.equal([]);
      fixture.pay(reference);
      expect(only(await gateway.confirmCheckout(reference))).to.include({ kind: 'paid', invoiceId });
    });

    it('reports no payment for an invoice of somebody else', async () => {
      expect(await gateway.parseWebhook(fixture.reportForeignPayment())).to.deep.equal([]);
    });

    it('ignores kinds of events it does not know', async () => {
      expect(await gateway.parseWebhook(fixture.reportUnknownKind())).to.deep.equal([]);
    });

    it('lists every payment of a long span over several pages, oldest first', async () => {
      const since = fixture.clock.now;
      const references: string[] = [];
      await paid();
      for (const day of [1, 1, 1, 20, 45]) {
        fixture.clock.now = new Date(since.getTime() + day * 86_400_000);
        references.push((await paid()).gatewayReference);
      }
      const listed = [];
      for await (const payment of gateway.listPayments(new Date(since.getTime() + 60_000))) listed.push(payment);
      expect(new Set(listed.map(({ gatewayReference }) => gatewayReference))).to.deep.equal(new Set(references));
      expect(listed.map(({ at }) => at.getTime())).to.deep.equal(
        listed.map(({ at }) => at.getTime()).sort((a, b) => a - b),
      );
      expect(listed[0]).to.deep.include({ invoiceId, amount: euros(1234), status: 'paid' });
    });
  });

  describe('refunds and disputes', () => {
    it('refunds a part by the payment or by the checkout, and reports it', async () => {
      const reference = await begin();
      const event = only(await gateway.parseWebhook(fixture.pay(reference)));
      const refunds = [];
      for (const gatewayReference of [event.gatewayReference, reference]) {
        const idempotencyKey = `refund-${gatewayReference}`;
        refunds.push(await gateway.refund({ gatewayReference, amount: euros(500), idempotencyKey }));
      }
      expect(fixture.count('refunds')).to.equal(2);
      const reported = only(await gateway.parseWebhook(fixture.reportRefund(refunds[0]?.refundReference ?? '')));
      expect(reported).to.deep.include({ kind: 'refunded', invoiceId, amount: euros(500) });
      expect(reported).to.include({ gatewayReference: event.gatewayReference });
    });

    it('refunds once when the answer is lost and the call is repeated', async () => {
      const { gatewayReference } = await paid();
      fixture.server.inject(fixture.paths.refund, { kind: 'lose_answer' });
      const request = { gatewayReference, amount: euros(1234), idempotencyKey: 'refund-lost' };
      const first = await gateway.refund(request);
      expect(await gateway.refund(request)).to.deep.equal(first);
      expect(fixture.count('refunds')).to.equal(1);
    });

    it('reports a dispute once, whatever becomes of it', async () => {
      const { gatewayReference } = await paid();
      const ids = new Set<string>();
      for (const outcome of ['open', 'open', 'lost'] as const) {
        const event = only(await gateway.parseWebhook(fixture.reportDispute(gatewayReference, outcome)));
        expect(event).to.deep.include({ kind: 'disputed', invoiceId, amount: euros(1234), gatewayReference });
        ids.add(event.eventId);
      }
      expect(ids.size).to.equal(1);
      expect(await gateway.parseWebhook(fixture.reportDispute(gatewayReference, 'won'))).to.deep.equal([]);
    });

    it('reads a refund that is reported before its payment', async () => {
      const reference = await begin();
      const payment = fixture.pay(reference);
      if (fixture.count('refunds') === 0) await gateway.confirmCheckout(reference);
      const refund = { gatewayReference: reference, amount: euros(100), idempotencyKey: 'refund-early' };
      const { refundReference } = await gateway.refund(refund);
      const first = only(await gateway.parseWebhook(fixture.reportRefund(refundReference)));
      const second = only(await gateway.parseWebhook(payment));
      expect(first.gatewayReference).to.equal(second.gatewayReference);
      expect([first.kind, second.kind]).to.deep.equal(['refunded', 'paid']);
    });
  });

  describe('faults of the provider', () => {
    const keysOf = (path: string) =>
      fixture.server.requestsTo(path).map(({ headers }) => headers['idempotency-key'] ?? headers['paypal-request-id']);

    it('repeats a failed call with the same idempotency key', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'status', status: 500 }, { kind: 'status', status: 503 });
      const request = checkoutRequest();
      await gateway.createCheckout(request);
      expect(keysOf(fixture.paths.checkout)).to.deep.equal(Array.from({ length: 3 }, () => request.idempotencyKey));
      expect(fixture.count('checkouts')).to.equal(1);
    });

    it('makes one checkout when the answer is lost', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'lose_answer' });
      await gateway.createCheckout(checkoutRequest());
      expect(fixture.count('checkouts')).to.equal(1);
    });

    it('gives up after three attempts', async () => {
      const fault = { kind: 'status', status: 500 } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault, fault);
      expect(await refusalOf(gateway.createCheckout(checkoutRequest()))).to.equal('PAYMENT_GATEWAY_UNAVAILABLE');
      expect(fixture.server.requestsTo(fixture.paths.checkout)).to.have.length(3);
    });

    it('waits for an answer that is late', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'late', ms: fixture.attemptTimeoutMs / 2 });
      expect((await gateway.createCheckout(checkoutRequest())).kind).to.equal('redirect');
    });

    it('gives up, within its deadline, on a provider that never answers', async () => {
      const fault = { kind: 'never' } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault);
      const started = performance.now();
      expect(await refusalOf(gateway.createCheckout(checkoutRequest()))).to.equal('PAYMENT_GATEWAY_UNAVAILABLE');
      expect(performance.now() - started).to.be.below(fixture.attemptTimeoutMs * 3 + 10_000);
    });

    it('does not take an answer it cannot read for a success', async () => {
      const fault = { kind: 'garbage' } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault);
      expect(await refusalOf(gateway.createCheckout(checkoutRequest()))).to.equal('PAYMENT_GATEWAY_UNAVAILABLE');
    });

    it('does not repeat a call that was refused', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'status', status: 400 });
      expect(await refusalOf(gateway.createCheckout(checkoutRequest()))).to.match(/^PAYMENT_REFUSED/);
      expect(fixture.server.requestsTo(fixture.paths.checkout)).to.have.length(1);
    });

    it('puts no key into an error', async () => {
      for (const status of [400, 401, 403, 500, 500, 500]) {
        fixture.server.inject(fixture.paths.checkout, { kind: 'status', status });
      }
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const error = await gateway.createCheckout(checkoutRequest()).catch((thrown: unknown) => thrown);
        const shown = JSON.stringify([error, String(error), (error as { metadata?: unknown }).metadata]);
        for (const secret of fixture.secrets) expect(shown).not.to.include(secret);
      }
    });
  });

  describe('attacks on the webhook', () => {
    const withHeader = (webhook: WebhookRequest, change: (value: string) => string): WebhookRequest => {
      const value = webhook.headers[fixture.signatureHeader] ?? '';
      return { ...webhook, headers: { ...webhook.headers, [fixture.signatureHeader]: change(value) } };
    };
    const withBody = (webhook: WebhookRequest, change: (text: string) => string): WebhookRequest => ({
      ...webhook,
      rawBody: Buffer.from(change(webhook.rawBody.toString())),
    });

    const refused: Record<string, readonly [(webhook: WebhookRequest) => WebhookRequest, string]> = {
      'without headers': [(webhook) => ({ ...webhook, headers: {} }), 'header_missing'],
      'with an empty signature': [(webhook) => withHeader(webhook, () => ''), 'header_missing'],
      'with the signature header twice': [
        (webhook) => withHeader(webhook, (value) => `${value}, ${value}`),
        'header_repeated',
      ],
      'with one changed byte': [
        (webhook) => withBody(webhook, (text) => text.replace('evt_', 'evt-').replace('WH', 'WX')),
        'signature',
      ],
      'with white space at its end': [(webhook) => withBody(webhook, (text) => `${text}\n`), 'signature'],
      'with a member added to its end': [
        (webhook) => withBody(webhook, (text) => `${text.trimEnd().slice(0, -1)},"id":"other"}`),
        'signature',
      ],
      'with the signature of another message': [
        ({ rawBody }) => ({ rawBody, headers: fixture.reportUnknownKind().headers }),
        'signature',
      ],
    };

    for (const [name, [change, problem]] of Object.entries(refused)) {
      it(`refuses a payment ${name}`, async () => {
        const webhook = change(fixture.pay(await begin()));
        expect(await refusalOf(gateway.parseWebhook(webhook))).to.equal(`WEBHOOK_INVALID ${problem}`);
      });
    }

    it('refuses a payment signed with another key', async () => {
      const webhook = fixture.pay(await begin(), { isForged: true });
      expect(await refusalOf(gateway.parseWebhook(webhook))).to.equal('WEBHOOK_INVALID signature');
    });

    it('refuses a rightly signed payment that is too old, and one from the future', async () => {
      for (const ageSeconds of [fixture.maxAgeSeconds + 60, -3600]) {
        const webhook = fixture.pay(await begin(), { ageSeconds });
        expect(await refusalOf(gateway.parseWebhook(webhook))).to.be.oneOf([
          'WEBHOOK_INVALID time',
          'WEBHOOK_INVALID signature',
        ]);
      }
    });

    it('refuses a body over 1 MiB before it asks the provider', async () => {
      const { headers } = fixture.pay(await begin());
      const requests = fixture.server.received.length;
      const rawBody = Buffer.alloc(1024 * 1024 + 1, 0x20);
      expect(await refusalOf(gateway.parseWebhook({ rawBody, headers }))).to.equal('WEBHOOK_INVALID too_large');
      expect(fixture.server.received).to.have.length(requests);
    });

    for (const [name, rawBody] of Object.entries({
      'no JSON': Buffer.from('{"id":'),
      'no UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
      'no object': Buffer.from('[]'),
      nothing: Buffer.alloc(0),
    })) {
      it(`refuses a body that is ${name}`, async () => {
        const { headers } = fixture.pay(await begin());
        expect(await refusalOf(gateway.parseWebhook({ rawBody, headers }))).to.be.oneOf([
          'WEBHOOK_INVALID signature',
          'WEBHOOK_INVALID malformed',
        ]);
      });
    }

    // Billing compares both with the invoice; a gateway must not report what was asked instead of what was paid.
    const payments = [
      ['a lower amount', { amount: euros(1) }],
      ['a higher amount', { amount: euros(123_400) }],
      ['another currency', { amount: { amount: 123_400, currency: 'HUF' } }],
      ['another invoice', { invoiceId: '11111111-1111-4111-8111-111111111111' }],
    ] as const;

    for (const [name, change] of payments) {
      it(`reports a payment of ${name} as it was made`, async () => {
        const event = only(await gateway.parseWebhook(fixture.payWrongly(await begin(), change)));
        expect(event).to.deep.include({ invoiceId, amount: euros(1234), ...change });
      });
    }
  });
}
