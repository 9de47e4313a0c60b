import { expect } from 'chai';
import { mollieKeys } from './fake-mollie.js';
import { euros, invoiceId, reasonOf, sessionRequest } from './fixture.js';
import { type MollieFixture, startClassicMollie, startMollie } from './mollie-fixture.js';

const hours = (count: number) => count * 3_600_000;

describe('payments at Mollie', () => {
  let fixture: MollieFixture;
  let { provider, gateway, server } = {} as MollieFixture;

  beforeEach(async () => {
    fixture = await startClassicMollie();
    ({ provider, gateway, server } = fixture);
  });

  afterEach(() => fixture.stop());

  const advance = (ms: number) => {
    fixture.clock.now = new Date(fixture.clock.now.getTime() + ms);
  };
  const begin = async () => (await gateway.createSession(sessionRequest())).gatewayReference;
  const bodies = (path: string) =>
    server.requestsTo(path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  const saved = async () => {
    const { gatewayReference } = await gateway.createSession(sessionRequest({ savePaymentMethod: true }));
    const events = await gateway.parseWebhook(fixture.pay(gatewayReference));
    const event = events.find(({ type }) => type === 'method_saved');
    if (event?.type !== 'method_saved') throw new Error('no method was saved');
    return event;
  };

  describe('payment pages', () => {
    it('names the invoice, the amount, the way back and the webhook of the panel', async () => {
      const request = sessionRequest();
      const { gatewayReference } = await gateway.createSession(request);
      expect(bodies('/v2/payments')).to.deep.equal([
        {
          amount: { currency: 'EUR', value: '12.34' },
          description: request.description,
          redirectUrl: request.returnUrl,
          webhookUrl: 'https://panel.example.com/api/v1/billing/webhooks/mollie',
          metadata: { invoice_id: invoiceId, customer_id: request.customer.id },
        },
      ]);
      expect(await gateway.createSession(request)).to.deep.equal({
        kind: 'redirect',
        url: `https://www.mollie.test/checkout/${gatewayReference}`,
        gatewayReference,
      });
    });

    for (const address of ['http://localhost:8080', 'http://127.0.0.1:3000', 'https://10.0.0.7', 'http://[::1]:80']) {
      it(`names no webhook for a panel at ${address}`, async () => {
        const local = await startMollie(address);
        await local.gateway.createSession(sessionRequest());
        const [sent] = local.server.requestsTo('/v2/payments');
        await local.stop();
        expect(JSON.parse(sent?.body ?? '')).not.to.have.property('webhookUrl');
      });
    }

    for (const address of ['http://panel.example.com', 'http://8.8.8.8', 'ftp://panel.example.com', '']) {
      it(`begins no payment for a panel at ${JSON.stringify(address)}`, async () => {
        const insecure = await startMollie(address);
        const reason = await reasonOf(insecure.gateway.createSession(sessionRequest()));
        await insecure.stop();
        expect(reason).to.equal('GATEWAY_REJECTED');
        expect(insecure.server.received).to.have.length(0);
      });
    }

    for (const status of ['canceled', 'failed', 'expired']) {
      it(`begins another payment once the first of its key is ${status}, the same for all callers`, async () => {
        const request = sessionRequest();
        const { gatewayReference: first } = await gateway.createSession(request);
        provider.end(first, status);
        const results = await Promise.all(Array.from({ length: 5 }, () => gateway.createSession(request)));
        const [second] = results;
        expect(second?.kind).to.equal('redirect');
        expect(second?.gatewayReference).not.to.equal(first);
        for (const result of results) expect(result).to.deep.equal(second);
        expect(provider.paymentCount).to.equal(2);
      });
    }

    it('begins at most ten payments for one key', async () => {
      const request = sessionRequest();
      for (let time = 0; time < 10; time += 1) {
        provider.end((await gateway.createSession(request)).gatewayReference, 'canceled');
      }
      expect(await reasonOf(gateway.createSession(request))).to.equal('GATEWAY_REJECTED');
      expect(provider.paymentCount).to.equal(10);
    });

    it('begins no other payment beside one that is paid or on its way', async () => {
      const request = sessionRequest();
      const { gatewayReference } = await gateway.createSession(request);
      provider.end(gatewayReference, 'pending');
      expect(await gateway.createSession(request)).to.deep.equal({ kind: 'pending', gatewayReference });
      provider.pay(gatewayReference);
      expect(await gateway.createSession(request)).to.deep.equal({ kind: 'paid', gatewayReference });
      expect(provider.paymentCount).to.equal(1);
    });

    it('sends and reads amounts of currencies with other digits', async () => {
      for (const [currency, amountMinor, value] of [
        ['JPY', 1234, '1234'],
        ['ISK', 500, '500'],
        ['HUF', 12_345, '123.45'],
      ] as const) {
        const amount = { amountMinor, currency };
        const { gatewayReference } = await gateway.createSession(sessionRequest({ amount }));
        expect(bodies('/v2/payments').at(-1)?.['amount']).to.deep.equal({ currency, value });
        const [event] = await gateway.parseWebhook(fixture.pay(gatewayReference));
        expect(event?.amount).to.deep.equal(amount);
      }
    });

    it('refuses currencies Mollie does not have before it calls', async () => {
      const amount = { amountMinor: 1234, currency: 'KWD' };
      expect(await reasonOf(gateway.createSession(sessionRequest({ amount })))).to.equal('CURRENCY_NOT_SUPPORTED');
      expect(gateway.canCharge(amount)).to.equal(false);
      expect(server.received).to.have.length(0);
    });
  });

  describe('stored methods', () => {
    it('keeps the mandate of a first payment and charges it without the customer', async () => {
      const { method, label, customerId } = await saved();
      expect([label, customerId]).to.deep.equal(['Visa •••• 4242', sessionRequest().customer.id]);
      expect(bodies('/v2/payments').at(-1)).to.include({ sequenceType: 'first', customerId: method.customerReference });
      const charge = await gateway.chargeStored({ ...sessionRequest(), method });
      expect(charge.kind).to.equal('paid');
      const sent = bodies('/v2/payments').at(-1);
      expect(sent).to.include({
        sequenceType: 'recurring',
        customerId: method.customerReference,
        mandateId: method.methodReference,
        webhookUrl: 'https://panel.example.com/api/v1/billing/webhooks/mollie',
      });
      expect(sent).not.to.have.property('redirectUrl');
    });

    it('makes one customer for one key', async () => {
      const request = sessionRequest({ savePaymentMethod: true });
      await gateway.createSession(request);
      await gateway.createSession(request);
      const customers = bodies('/v2/payments').map(({ customerId }) => customerId);
      expect([customers.length, new Set(customers).size]).to.deep.equal([2, 1]);
    });

    it('makes one customer when the answer is lost', async () => {
      server.inject('/v2/customers', { kind: 'lose_answer' });
      await saved();
      const keys = server.requestsTo('/v2/customers').map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).to.deep.equal([2, 1]);
    });

    it('charges a debit, which is pending, and reports its end without a payment page', async () => {
      const method = { customerReference: 'cst_1', methodReference: 'mdt_debit' };
      const charge = await gateway.chargeStored({ ...sessionRequest(), method });
      const reference = 'gatewayReference' in charge ? charge.gatewayReference : '';
      expect(charge.kind).to.equal('pending');
      const [event, ...others] = await gateway.parseWebhook(
        provider.deliver(provider.pay(reference, { mandateId: 'mdt_debit' })),
      );
      expect(event).to.include({ type: 'paid', gatewayReference: reference, sessionReference: null });
      expect(others).to.deep.equal([]);
    });

    for (const faults of [1, 3]) {
      it(`charges a mandate once when ${faults} answers are lost, also when it is repeated a week later`, async () => {
        const { method } = await saved();
        const request = { ...sessionRequest(), method };
        const before = provider.paymentCount;
        server.inject(
          '/v2/payments',
          { kind: 'lose_answer' },
          ...Array.from({ length: faults - 1 }, () => ({ kind: 'never' }) as const),
        );
        const first = await gateway.chargeStored(request).catch((error: unknown) => error);
        if (faults === 3) expect(first).to.have.property('reason', 'GATEWAY_UNAVAILABLE');
        advance(hours(7 * 24));
        expect((await gateway.chargeStored(request)).kind).to.equal('paid');
        expect(provider.paymentCount).to.equal(before + 1);
      });
    }

    it('finds an earlier charge on a further page', async () => {
      const method = { customerReference: 'cst_1', methodReference: 'mdt_1' };
      const request = { ...sessionRequest(), method };
      const first = await gateway.chargeStored(request);
      for (let time = 0; time < 5; time += 1) {
        advance(hours(2));
        await gateway.chargeStored({ ...sessionRequest(), method });
      }
      expect(await gateway.chargeStored(request)).to.deep.equal(first);
      expect(provider.paymentCount).to.equal(6);
    });

    it('says why a charge was declined', async () => {
      const method = { customerReference: 'cst_1', methodReference: 'mdt_declined' };
      const result = await gateway.chargeStored({ ...sessionRequest(), method });
      expect(result).to.deep.equal({ kind: 'declined', code: 'insufficient_funds' });
    });

    it('declines the charge of a mandate that was revoked, or is gone with its customer', async () => {
      const { method } = await saved();
      provider.revokeMandate(method.methodReference);
      const declined = { kind: 'declined', code: 'mandate_invalid' };
      expect(await gateway.chargeStored({ ...sessionRequest(), method })).to.deep.equal(declined);
      for (const status of [404, 410]) {
        server.inject('/customers/cst_gone/payments', { kind: 'status', status });
        const gone = { customerReference: 'cst_gone', methodReference: 'mdt_gone' };
        expect(await gateway.chargeStored({ ...sessionRequest(), method: gone })).to.deep.equal(declined);
      }
    });

    it('does not take another refusal for a declined mandate', async () => {
      const { method } = await saved();
      server.inject('/v2/payments', { kind: 'status', status: 422 });
      expect(await reasonOf(gateway.chargeStored({ ...sessionRequest(), method }))).to.equal('GATEWAY_REJECTED');
      server.inject('/v2/payments', { kind: 'status', status: 401 });
      expect(await reasonOf(gateway.chargeStored({ ...sessionRequest(), method }))).to.equal('GATEWAY_REJECTED');
    });
  });

  describe('refunds', () => {
    const refundOf = (gatewayReference: string, amountMinor: number, idempotencyKey: string) =>
      gateway.refund({ invoiceId, gatewayReference, amount: euros(amountMinor), idempotencyKey });

    for (const status of ['queued', 'pending', 'processing']) {
      it(`takes a refund that is ${status} for accepted`, async () => {
        provider.refundStatus = status;
        const id = provider.pay(await begin());
        expect((await refundOf(id, 1234, 'refund-1')).kind).to.equal('pending');
      });
    }

    it('refunds in parts, and no more than was paid', async () => {
      const id = provider.pay(await begin());
      for (const [key, amountMinor] of [
        ['a', 500],
        ['b', 500],
        ['c', 234],
      ] as const)
        expect((await refundOf(id, amountMinor, key)).kind).to.equal('refunded');
      expect(await reasonOf(refundOf(id, 1, 'd'))).to.equal('GATEWAY_REJECTED');
      expect(provider.refundCount).to.equal(3);
    });

    it('makes one refund though its key was forgotten before it was repeated', async () => {
      const id = provider.pay(await begin());
      server.inject('/refunds', { kind: 'lose_answer' }, { kind: 'never' }, { kind: 'never' });
      expect(await reasonOf(refundOf(id, 500, 'refund-1'))).to.equal('GATEWAY_UNAVAILABLE');
      advance(hours(48));
      expect((await refundOf(id, 500, 'refund-1')).kind).to.equal('refunded');
      expect(provider.refundCount).to.equal(1);
    });

    it('reports a refund that fails later at no time as refunded, and refuses to repeat it', async () => {
      provider.refundStatus = 'pending';
      const id = provider.pay(await begin());
      const { refundReference } = await refundOf(id, 500, 'refund-1');
      provider.turnRefund(refundReference, 'processing');
      const types = async () => (await gateway.parseWebhook(provider.deliver(id))).map(({ type }) => type);
      expect(await types()).to.deep.equal(['paid']);
      provider.turnRefund(refundReference, 'failed');
      expect(await types()).to.deep.equal(['paid']);
      expect(await reasonOf(refundOf(id, 500, 'refund-1'))).to.equal('GATEWAY_REJECTED');
      expect(provider.refundCount).to.equal(1);
    });

    it('refuses to refund a payment that Mollie does not know', async () => {
      expect(await reasonOf(refundOf('tr_unknown1', 1, 'a'))).to.equal('GATEWAY_REJECTED');
    });
  });

  describe('the list of payments', () => {
    const listed = async (since: Date, until: Date) => {
      const references = [];
      for await (const payment of gateway.listPayments(since, until)) references.push(payment.gatewayReference);
      return references;
    };
    const at = (ms: number) => new Date(fixture.clock.now.getTime() + ms);

    it('lists 600 payments over three pages of 250', async () => {
      provider.pageSize = 250;
      const ids = Array.from({ length: 600 }, (_, index) => provider.addPaid(invoiceId, at(-index * 1000)));
      expect(await listed(at(-hours(1)), at(1))).to.deep.equal(ids);
      expect(server.requestsTo('/v2/payments', 'GET').map(({ query }) => query.get('from'))).to.deep.equal([
        null,
        ids[250],
        ids[500],
      ]);
    });

    it('lists what was paid in the span, also when it was begun 29 days before, and nothing else', async () => {
      const early = provider.addPaid(invoiceId, at(-hours(29 * 24)), at(-hours(1)));
      const [first, last] = [provider.addPaid(invoiceId, at(-hours(2))), provider.addPaid(invoiceId, at(-1))];
      provider.addPaid(invoiceId, at(-hours(2) - 1));
      provider.addPaid(invoiceId, at(0));
      provider.foreignPayment();
      await begin();
      expect(await listed(at(-hours(2)), at(0))).to.have.members([early, first, last]);
    });

    it('reads no page of payments that are too old to have been paid in the span', async () => {
      for (let day = 0; day < 20; day += 1) provider.addPaid(invoiceId, at(-hours(day * 24 * 5)));
      await listed(at(-hours(1)), at(0));
      expect(server.requestsTo('/v2/payments', 'GET')).to.have.length(4);
    });
  });

  describe('faults', () => {
    const create = async () => reasonOf(gateway.createSession(sessionRequest()));
    const sent = () => server.requestsTo('/v2/payments').length;

    const table = [
      ['refused', 400, 'GATEWAY_REJECTED', 1],
      ['not authenticated', 401, 'GATEWAY_REJECTED', 1],
      ['forbidden', 403, 'GATEWAY_REJECTED', 1],
      ['invalid', 422, 'GATEWAY_REJECTED', 1],
      ['still in progress', 409, 'GATEWAY_UNAVAILABLE', 3],
      ['too frequent', 429, 'GATEWAY_UNAVAILABLE', 3],
      ['not served', 500, 'GATEWAY_UNAVAILABLE', 3],
      ['not served by a proxy', 502, 'GATEWAY_UNAVAILABLE', 3],
    ] as const;
    for (const [name, status, reason, attempts] of table) {
      it(`answers ${reason} to a request that is ${name} (${status}), after ${attempts} attempts`, async () => {
        server.inject('/v2/payments', ...Array.from({ length: attempts }, () => ({ kind: 'status', status }) as const));
        expect(await create()).to.equal(reason);
        expect(sent()).to.equal(attempts);
      });
    }

    it('waits as long as Retry-After says, up to five seconds', async () => {
      server.inject('/v2/payments', { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
      const started = performance.now();
      expect(await create()).to.equal('no error');
      expect(performance.now() - started).to.be.within(1_000, 4_000);
    });

    it('does not wait for a longer Retry-After', async () => {
      server.inject('/v2/payments', { kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
      expect(await create()).to.equal('GATEWAY_UNAVAILABLE');
      expect(sent()).to.equal(1);
    });

    it('says what Mollie has refused, without the key', async () => {
      const detail = `The amount is too low (${mollieKeys.apiKey})`;
      server.inject('/v2/payments', { kind: 'status', status: 422, json: { status: 422, detail, field: 'amount' } });
      const error = await gateway.createSession(sessionRequest()).catch((thrown: unknown) => thrown);
      expect((error as { metadata?: unknown }).metadata).to.include({
        detail: 'The amount is too low (…)',
        field: 'amount',
      });
    });

    it('follows no redirect', async () => {
      const headers = { location: `${server.address}/evil` };
      const fault = { kind: 'status', status: 302, headers } as const;
      server.inject('/v2/payments', fault, fault, fault);
      expect(await create()).to.equal('GATEWAY_UNAVAILABLE');
      expect(server.received.some(({ path }) => path === '/evil')).to.equal(false);
    });
  });
});
