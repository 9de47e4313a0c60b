import { expect } from 'chai';
import type { PaymentEvent, WebhookRequest } from '../../src/domain/payment.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import { euros, invoiceId, type ProviderFixture, reasonOf, sessionRequest } from './fixture.js';

const only = (events: readonly PaymentEvent[]): PaymentEvent => {
  expect(events).to.have.length(1);
  return events[0] as PaymentEvent;
};

/** A provider whose messages do not say what has changed reports the payment along with it. */
const onlyOf = (type: PaymentEvent['type'], events: readonly PaymentEvent[]): PaymentEvent => {
  expect(events.map((event) => event.type)).to.include.members([type]);
  for (const event of events) expect(event.type).to.be.oneOf([type, 'paid']);
  return only(events.filter((event) => event.type === type));
};

/** Required of gateways with a provider. */
export function itHoldsTheProviderContract(start: () => Promise<ProviderFixture>): void {
  let fixture: ProviderFixture;
  let gateway: PaymentGateway;

  beforeEach(async () => {
    fixture = await start();
    gateway = fixture.gateway;
  });

  afterEach(() => fixture.stop());

  const begin = async () => (await gateway.createSession(sessionRequest())).gatewayReference;
  const paid = async () => only(await gateway.parseWebhook(fixture.pay(await begin())));

  describe('payments', () => {
    it('reports a payment with its invoice, amount and references', async () => {
      const reference = await begin();
      const event = only(await gateway.parseWebhook(fixture.pay(reference)));
      expect(event).to.include({ type: 'paid', invoiceId, sessionReference: reference });
      expect(event.amount).to.deep.equal(euros(1234));
      expect(event.occurredAt.getTime()).to.be.closeTo(fixture.clock.now.getTime(), 1000);
    });

    it('gives one event id to one payment, by whichever way and however often it is reported', async () => {
      const reference = await begin();
      const webhook = fixture.pay(reference);
      const first = only(await gateway.parseWebhook(webhook));
      const replayed = only(await gateway.parseWebhook(webhook));
      const repeated = only(await gateway.parseWebhook(fixture.reportAgain(reference)));
      const confirmed = only(await gateway.confirmSession(reference));
      expect([replayed, repeated, confirmed].map(({ eventId }) => eventId)).to.deep.equal([
        first.eventId,
        first.eventId,
        first.eventId,
      ]);
    });

    it('confirms a payment whose webhook never came', async () => {
      const reference = await begin();
      expect(await gateway.confirmSession(reference)).to.deep.equal([]);
      fixture.pay(reference);
      expect(only(await gateway.confirmSession(reference))).to.include({ type: 'paid', invoiceId });
    });

    it('reports no payment for an invoice of somebody else', async () => {
      expect(await gateway.parseWebhook(fixture.reportForeignPayment())).to.deep.equal([]);
    });

    it('ignores kinds of events it does not know', async () => {
      expect(await gateway.parseWebhook(fixture.reportUnknownKind())).to.deep.equal([]);
    });

    it('lists every payment of a span over several pages', async () => {
      const since = fixture.clock.now;
      const references = new Set<string>();
      for (let index = 0; index < 5; index += 1) references.add((await paid()).gatewayReference);
      fixture.clock.now = new Date(since.getTime() + 60_000);
      await paid();
      const listed = [];
      const until = new Date(since.getTime() + 60_000);
      for await (const payment of gateway.listPayments(since, until)) listed.push(payment);
      expect(new Set(listed.map(({ gatewayReference }) => gatewayReference))).to.deep.equal(references);
      expect(listed[0]).to.deep.include({ invoiceId, amount: euros(1234) });
    });
  });

  describe('refunds and disputes', () => {
    it('refunds a part by the payment or by the checkout, and reports it', async () => {
      const reference = await begin();
      const event = only(await gateway.parseWebhook(fixture.pay(reference)));
      const refunds = [];
      for (const gatewayReference of [event.gatewayReference, reference]) {
        const idempotencyKey = `refund-${gatewayReference}`;
        refunds.push(await gateway.refund({ invoiceId, gatewayReference, amount: euros(500), idempotencyKey }));
      }
      expect(refunds.map(({ kind }) => kind)).to.deep.equal(['refunded', 'refunded']);
      const report = await gateway.parseWebhook(fixture.reportRefund(refunds[0]?.refundReference ?? ''));
      const reported = onlyOf('refunded', report);
      expect(reported).to.deep.include({ type: 'refunded', invoiceId, amount: euros(500) });
      expect(reported).to.include({ gatewayReference: event.gatewayReference });
    });

    it('refunds once when the answer is lost and the call is repeated', async () => {
      const { gatewayReference } = await paid();
      fixture.server.inject(fixture.paths.refund, { kind: 'lose_answer' });
      const request = { invoiceId, gatewayReference, amount: euros(1234), idempotencyKey: 'refund-lost' };
      const first = await gateway.refund(request);
      expect(await gateway.refund(request)).to.deep.equal(first);
      expect(fixture.count('refunds')).to.equal(1);
    });

    it('reports each turn of a dispute once', async () => {
      const { gatewayReference } = await paid();
      const ids = new Set<string>();
      for (const outcome of ['open', 'open', 'lost'] as const) {
        const event = onlyOf('disputed', await gateway.parseWebhook(fixture.reportDispute(gatewayReference, outcome)));
        expect(event).to.include({ type: 'disputed', outcome, invoiceId });
        ids.add(event.eventId);
      }
      expect(ids.size).to.equal(2);
    });
  });

  describe('faults of the provider', () => {
    const keysOf = (path: string) =>
      fixture.server.requestsTo(path).map(({ headers }) => headers['idempotency-key'] ?? headers['paypal-request-id']);

    it('repeats a failed call with the same idempotency key', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'status', status: 500 }, { kind: 'status', status: 503 });
      const request = sessionRequest();
      await gateway.createSession(request);
      expect(keysOf(fixture.paths.checkout)).to.deep.equal(Array.from({ length: 3 }, () => request.idempotencyKey));
      expect(fixture.count('payment_sessions')).to.equal(1);
    });

    it('makes one checkout when the answer is lost', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'lose_answer' });
      await gateway.createSession(sessionRequest());
      expect(fixture.count('payment_sessions')).to.equal(1);
    });

    it('gives up after three attempts', async () => {
      const fault = { kind: 'status', status: 500 } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault, fault);
      expect(await reasonOf(gateway.createSession(sessionRequest()))).to.equal('GATEWAY_UNAVAILABLE');
      expect(fixture.server.requestsTo(fixture.paths.checkout)).to.have.length(3);
    });

    it('waits for an answer that is late', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'late', ms: fixture.attemptTimeoutMs / 2 });
      expect((await gateway.createSession(sessionRequest())).kind).to.equal('redirect');
    });

    it('gives up, within its deadline, on a provider that never answers', async () => {
      const fault = { kind: 'never' } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault);
      const started = performance.now();
      expect(await reasonOf(gateway.createSession(sessionRequest()))).to.equal('GATEWAY_UNAVAILABLE');
      expect(performance.now() - started).to.be.below(fixture.attemptTimeoutMs * 3 + 10_000);
    });

    it('does not take an answer it cannot read for a success', async () => {
      const fault = { kind: 'garbage' } as const;
      fixture.server.inject(fixture.paths.checkout, fault, fault, fault);
      expect(await reasonOf(gateway.createSession(sessionRequest()))).to.equal('GATEWAY_UNAVAILABLE');
    });

    it('does not repeat a call that was refused', async () => {
      fixture.server.inject(fixture.paths.checkout, { kind: 'status', status: 400 });
      expect(await reasonOf(gateway.createSession(sessionRequest()))).to.equal('GATEWAY_REJECTED');
      expect(fixture.server.requestsTo(fixture.paths.checkout)).to.have.length(1);
    });

    it('puts no key into an error', async () => {
      for (const status of [400, 401, 403, 500, 500, 500]) {
        fixture.server.inject(fixture.paths.checkout, { kind: 'status', status });
      }
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const error = await gateway.createSession(sessionRequest()).catch((thrown: unknown) => thrown);
        const shown = JSON.stringify([error, String(error), (error as { metadata?: unknown }).metadata]);
        for (const secret of fixture.secrets) expect(shown).not.to.include(secret);
      }
    });
  });

  describe('reported facts', () => {
    // Billing compares with the invoice: a gateway must report the paid amount, not the requested one.
    const payments = [
      ['a lower amount', { amount: euros(1) }],
      ['a higher amount', { amount: euros(123_400) }],
      ['another currency', { amount: { amountMinor: 123_400, currency: 'HUF' } }],
      ['another invoice', { invoiceId: '11111111-1111-4111-8111-111111111111' }],
    ] as const;

    for (const [name, change] of payments) {
      it(`reports a payment of ${name} as it was made`, async () => {
        const reference = await begin();
        const event = only(await gateway.parseWebhook(fixture.payWrongly(reference, change)));
        expect(event).to.deep.include({ invoiceId, amount: euros(1234), sessionReference: reference, ...change });
      });
    }

    it('names the checkout that was paid, and not another of the same invoice', async () => {
      const [, second] = [await begin(), await begin()];
      const event = only(await gateway.parseWebhook(fixture.pay(second)));
      expect(event.sessionReference).to.equal(second);
    });
  });
}

/** Required of gateways whose webhooks are signed. */
export function itRefusesForgedWebhooks(start: () => Promise<ProviderFixture>): void {
  let fixture: ProviderFixture;
  let gateway: PaymentGateway;

  beforeEach(async () => {
    fixture = await start();
    gateway = fixture.gateway;
  });

  afterEach(() => fixture.stop());

  const begin = async () => (await gateway.createSession(sessionRequest())).gatewayReference;

  describe('attacks on the webhook', () => {
    const refused: Record<string, (webhook: WebhookRequest) => WebhookRequest> = {
      'without a signature': ({ rawBody }) => ({ rawBody, headers: {} }),
      'with the signature header twice': ({ rawBody, headers }) => {
        const values = headers[fixture.signatureHeader] ?? [];
        return { rawBody, headers: { ...headers, [fixture.signatureHeader]: [...values, ...values] } };
      },
      'with two signature headers joined on their way': ({ rawBody, headers }) => {
        const values = headers[fixture.signatureHeader] ?? [];
        return { rawBody, headers: { ...headers, [fixture.signatureHeader]: [[...values, ...values].join(', ')] } };
      },
      'with an empty signature': ({ rawBody, headers }) => ({
        rawBody,
        headers: { ...headers, [fixture.signatureHeader]: [''] },
      }),
      'with one changed byte': ({ rawBody, headers }) => ({
        rawBody: Buffer.from(Buffer.from(rawBody).toString().replace('1234', '1235').replace('12.34', '12.35')),
        headers,
      }),
      'with a member added to the end': ({ rawBody, headers }) => ({
        rawBody: Buffer.from(`${Buffer.from(rawBody).toString().trimEnd().slice(0, -1)},"id":"other"}`),
        headers,
      }),
      'with the signature of another message': ({ rawBody }) => ({
        rawBody,
        headers: fixture.reportUnknownKind().headers,
      }),
    };

    for (const [name, change] of Object.entries(refused)) {
      it(`refuses a payment ${name}`, async () => {
        const webhook = change(fixture.pay(await begin()));
        expect(await reasonOf(gateway.parseWebhook(webhook))).to.equal('WEBHOOK_SIGNATURE_INVALID');
      });
    }

    it('refuses a payment signed with another key', async () => {
      const webhook = fixture.pay(await begin(), { isForged: true });
      expect(await reasonOf(gateway.parseWebhook(webhook))).to.equal('WEBHOOK_SIGNATURE_INVALID');
    });

    it('refuses a rightly signed payment that is too old, and one from the future', async () => {
      for (const ageSeconds of [fixture.maxAgeSeconds + 60, -3600]) {
        const webhook = fixture.pay(await begin(), { ageSeconds });
        expect(await reasonOf(gateway.parseWebhook(webhook))).to.equal('WEBHOOK_SIGNATURE_INVALID');
      }
    });

    it('refuses a body over 1 MiB before it asks the provider', async () => {
      const { headers } = fixture.pay(await begin());
      const requests = fixture.server.received.length;
      const rawBody = Buffer.alloc(1024 * 1024 + 1, 0x20);
      expect(await reasonOf(gateway.parseWebhook({ rawBody, headers }))).to.equal('WEBHOOK_TOO_LARGE');
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
        expect(await reasonOf(gateway.parseWebhook({ rawBody, headers }))).to.be.oneOf([
          'WEBHOOK_SIGNATURE_INVALID',
          'WEBHOOK_MALFORMED',
        ]);
      });
    }
  });
}
