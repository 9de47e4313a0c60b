import { expect } from 'chai';
import type { PaymentEvent } from '../../src/domain/payment.js';
import { createMollieGateway } from '../../src/payments/mollie/gateway.js';
import { card, debit, mollieKeys } from './fake-mollie.js';
import { invoiceId, reasonOf, sessionRequest } from './fixture.js';
import { type MollieFixture, panelUrl, startClassicMollie } from './mollie-fixture.js';

describe('webhooks of Mollie', () => {
  let fixture: MollieFixture;
  let { provider, gateway, server } = {} as MollieFixture;

  beforeEach(async () => {
    fixture = await startClassicMollie();
    ({ provider, gateway, server } = fixture);
  });

  afterEach(() => fixture.stop());

  const begin = async () => (await gateway.createSession(sessionRequest())).gatewayReference;
  const report = async (id: string) => gateway.parseWebhook(provider.deliver(id));
  const form = (text: string) => gateway.parseWebhook({ rawBody: Buffer.from(text), headers: {} });
  const lookups = () => server.requestsTo('/v2/payments/', 'GET').length;
  const idsOf = (events: readonly PaymentEvent[]) => events.map(({ eventId }) => eventId);
  const withoutSecret = () =>
    createMollieGateway(
      { ...mollieKeys, webhookSecret: null, apiBase: server.address, attemptTimeoutMs: 400 },
      { clock: () => fixture.clock.now, panelUrl: async () => panelUrl },
    );

  it('looks a payment up by its id and believes only the answer', async () => {
    const id = await begin();
    expect(await report(id)).to.deep.equal([]);
    provider.pay(id);
    const [event] = await form(`id=${id}&status=failed&amount=1`);
    expect(event).to.deep.include({ type: 'paid', invoiceId, gatewayReference: id, cardCountry: 'FR' });
  });

  for (const text of [
    '',
    'id=',
    'status=paid',
    'id=tr_1',
    'id=tr_000001/../../customers/cst_1',
    'id=tr_000001%3Fembed%3Dx',
    'id=tr_000001%0a',
    'id=ord_000001',
    'id=tr_000001&id=tr_000002',
    `id=tr_${'a'.repeat(65)}`,
    `id=tr_000001&x=${'a'.repeat(256)}`,
    '["tr_000001"]',
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))} without a lookup`, async () => {
      expect(await reasonOf(form(text))).to.equal('WEBHOOK_MALFORMED');
      expect(server.received).to.have.length(0);
    });
  }

  it('refuses events while no secret is configured, whoever has signed them', async () => {
    const id = provider.pay(await begin());
    const event = provider.event('payment.paid', provider.payment(id));
    for (const secret of [mollieKeys.webhookSecret, '', 'null']) {
      const signed = provider.deliverEvent(event, { secret });
      expect(await reasonOf(withoutSecret().parseWebhook(signed))).to.equal('WEBHOOK_SIGNATURE_INVALID');
    }
    expect(await withoutSecret().parseWebhook(provider.deliver(id))).to.have.length(1);
  });

  it('refuses a signature that does not hold also over the form of a payment', async () => {
    const { rawBody } = provider.deliver(provider.pay(await begin()));
    const headers = { 'x-mollie-signature': [`sha256=${'0'.repeat(64)}`] };
    expect(await reasonOf(gateway.parseWebhook({ rawBody, headers }))).to.equal('WEBHOOK_SIGNATURE_INVALID');
  });

  it('asks Mollie only for payments by id, whatever a signed event names', async () => {
    for (const paymentId of ['tr_1/../../customers', 'ord_000001', null]) {
      const event = provider.event('refund.refunded', { id: 're_1', paymentId });
      expect(await gateway.parseWebhook(provider.deliverEvent(event))).to.deep.equal([]);
    }
    expect(server.received).to.have.length(0);
  });

  it('reports nothing of an id that Mollie does not know, and does not ask for it again for 30 seconds', async () => {
    for (let time = 0; time < 5; time += 1) expect(await report('tr_unknown1')).to.deep.equal([]);
    expect(lookups()).to.equal(1);
    fixture.clock.now = new Date(fixture.clock.now.getTime() + 30_000);
    await report('tr_unknown1');
    expect(lookups()).to.equal(2);
  });

  for (const metadata of [null, 'Order 1', ['x'], { invoice_id: 7 }, { invoice_id: 'x' }]) {
    it(`reports nothing of a payment with the foreign metadata ${JSON.stringify(metadata)}`, async () => {
      const id = provider.foreignPayment(metadata);
      expect([await report(id), await report(id)]).to.deep.equal([[], []]);
      expect(lookups()).to.equal(1);
    });
  }

  it('lets a flood cause four lookups at a time and refuses what exceeds its queue', async () => {
    const id = provider.pay(await begin());
    const before = lookups();
    server.inject('/v2/payments/', ...Array.from({ length: 4 }, () => ({ kind: 'late', ms: 200 }) as const));
    const flood = Array.from({ length: 200 }, (_, index) => reasonOf(report(`tr_flood${index}`)));
    expect(await reasonOf(report(id))).to.equal('GATEWAY_UNAVAILABLE');
    expect(lookups() - before).to.be.at.most(4);
    const reasons = await Promise.all(flood);
    expect(reasons.filter((reason) => reason === 'GATEWAY_UNAVAILABLE')).to.have.length(200 - 68);
    expect(lookups() - before).to.equal(68);
    expect((await report(id))[0]).to.include({ type: 'paid' });
  });

  it('forgets the oldest of 1,000 unknown ids', async () => {
    await report('tr_unknown0');
    for (let index = 1; index <= 1_000; index += 1) await report(`tr_unknown${index}`);
    expect(lookups()).to.equal(1_001);
    await report('tr_unknown1000');
    expect(lookups()).to.equal(1_001);
    await report('tr_unknown0');
    expect(lookups()).to.equal(1_002);
  });

  it('looks one payment up at most twice for webhooks that come while its lookup is under way', async () => {
    const id = provider.pay(await begin());
    const before = lookups();
    server.inject('/v2/payments/', { kind: 'late', ms: 100 });
    const first = report(id);
    while (lookups() === before) await new Promise(setImmediate);
    provider.refundByHand(id, '2.00');
    const answers = await Promise.all([first, ...Array.from({ length: 50 }, () => report(id))]);
    expect(lookups() - before).to.equal(2);
    for (const events of answers.slice(1)) expect(events.map(({ type }) => type)).to.deep.equal(['paid', 'refunded']);
  });

  it('asks again after a lookup without an answer', async () => {
    const id = provider.pay(await begin());
    server.inject('/v2/payments/', ...Array.from({ length: 3 }, () => ({ kind: 'status', status: 503 }) as const));
    expect(await reasonOf(report(id))).to.equal('GATEWAY_UNAVAILABLE');
    expect((await report(id))[0]).to.include({ type: 'paid' });
  });

  it('gives the same event ids to webhooks that repeat, in any order', async () => {
    const id = provider.pay(await begin());
    const paid = await report(id);
    provider.refundByHand(id, '2.00');
    provider.refundByHand(id, '3.00', 'processing');
    provider.chargeBack(id);
    const all = await report(id);
    expect(all.map(({ type }) => type)).to.deep.equal(['paid', 'refunded', 'disputed']);
    expect(idsOf(all)).to.include(idsOf(paid)[0]);
    expect(idsOf(await report(id))).to.deep.equal(idsOf(all));
    expect(idsOf(await gateway.confirmSession(id))).to.deep.equal(idsOf(all));
  });

  it('reports refunds made at Mollie in parts, once they are complete', async () => {
    const id = provider.pay(await begin());
    const first = provider.refundByHand(id, '2.00', 'pending');
    const second = provider.refundByHand(id, '3.34', 'queued');
    expect((await report(id)).map(({ type }) => type)).to.deep.equal(['paid']);
    provider.turnRefund(first, 'refunded');
    provider.turnRefund(second, 'refunded');
    const refunds = (await report(id)).filter(({ type }) => type === 'refunded');
    expect(refunds.map(({ amount }) => amount.amountMinor)).to.deep.equal([200, 334]);
    expect(refunds.map((event) => 'refundReference' in event && event.refundReference)).to.deep.equal([first, second]);
  });

  it('reports a card chargeback as open, and as won once it is reversed', async () => {
    const id = provider.pay(await begin());
    const opened = (await report(provider.chargeBack(id))).find(({ type }) => type === 'disputed');
    fixture.clock.now = new Date(fixture.clock.now.getTime() + 86_400_000);
    const reversedAt = fixture.clock.now;
    const won = (await report(provider.chargeBack(id, reversedAt.toISOString()))).find(
      ({ type }) => type === 'disputed',
    );
    expect(opened).to.include({ outcome: 'open', invoiceId, gatewayReference: id });
    expect(won).to.deep.include({ outcome: 'won', occurredAt: reversedAt });
    expect(won?.eventId).not.to.equal(opened?.eventId);
  });

  it('reports the chargeback of a direct debit as lost', async () => {
    const id = provider.pay(await begin(), { method: 'directdebit' });
    const event = (await report(provider.chargeBack(id))).find(({ type }) => type === 'disputed');
    expect(event).to.include({ outcome: 'lost' });
  });

  it('reports a debit as pending, and as paid or failed in the end', async () => {
    const [paid, failed] = [await begin(), await begin()];
    provider.end(paid, 'pending', debit);
    provider.end(failed, 'authorized');
    for (const id of [paid, failed]) {
      expect((await report(id))[0]).to.include({ type: 'pending', gatewayReference: id, sessionReference: id });
    }
    provider.pay(paid, { ...debit, status: 'paid' });
    provider.end(failed, 'failed', { details: { failureReason: 'insufficient_funds' } });
    expect((await report(paid))[0]).to.include({ type: 'paid', cardCountry: 'NL' });
    expect((await report(failed))[0]).to.include({ type: 'failed', code: 'insufficient_funds' });
  });

  for (const status of ['failed', 'canceled', 'expired'] as const) {
    it(`reports a payment that is ${status} once, by webhook and by confirmation`, async () => {
      const id = provider.end(await begin(), status);
      const [event] = await report(id);
      expect(event).to.include({ type: 'failed', code: status, sessionReference: id });
      expect(idsOf(await gateway.confirmSession(id))).to.deep.equal([event?.eventId]);
    });
  }

  it('names the country of the card, else of the account, and none that is no country', async () => {
    const countries = [];
    for (const details of [
      card,
      { consumerAccount: 'DE89370400440532013000' },
      { consumerAccount: 'someone@example.com' },
      { cardCountryCode: 'france' },
      null,
      'none',
    ]) {
      const [event] = await report(provider.pay(await begin(), { details }));
      countries.push(event?.type === 'paid' ? (event.cardCountry ?? null) : 'not paid');
    }
    expect(countries).to.deep.equal(['FR', 'DE', null, null, null, null]);
  });

  it('finds no payment of another key', async () => {
    expect(await gateway.confirmSession('tr_ofanotherkey')).to.deep.equal([]);
  });
});
