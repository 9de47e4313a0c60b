import { expect } from 'chai';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import { euros, type GatewayFixture, invoiceId, reasonOf, sessionRequest } from './fixture.js';

async function listAll(gateway: PaymentGateway, since: Date, until: Date) {
  const all = [];
  for await (const payment of gateway.listPayments(since, until)) all.push(payment);
  return all;
}

/** Required of every gateway. */
export function itHoldsTheGatewayContract(start: () => Promise<GatewayFixture>): void {
  let fixture: GatewayFixture;
  let gateway: PaymentGateway;

  beforeEach(async () => {
    fixture = await start();
    gateway = fixture.gateway;
  });

  afterEach(() => fixture.stop());

  it('begins a checkout of its kind', async () => {
    const result = await gateway.createSession(sessionRequest());
    expect(result.kind).to.equal(fixture.checkout);
    expect(result.gatewayReference).to.be.a('string').and.not.equal('');
  });

  it('begins one checkout for one key', async () => {
    const request = sessionRequest();
    const results = await Promise.all([1, 2, 3].map(() => gateway.createSession(request)));
    expect(new Set(results.map(({ gatewayReference }) => gatewayReference))).to.have.property('size', 1);
    expect(fixture.count('payment_sessions')).to.be.at.most(1);
  });

  it('charges nothing and less than nothing to nobody', () => {
    expect(gateway.canCharge(euros(0))).to.equal(false);
    expect(gateway.canCharge(euros(-1))).to.equal(false);
    expect(gateway.canCharge(euros(1234))).to.equal(true);
  });

  it('charges a stored method only where it keeps methods', async () => {
    const method = { customerReference: 'cus_saved', methodReference: 'pm_saved' };
    const charge = gateway.chargeStored({ ...sessionRequest(), method });
    if (gateway.canStoreMethods || fixture.checkout === 'paid') expect((await charge).kind).to.equal('paid');
    else expect(await reasonOf(charge)).to.equal('STORED_METHODS_NOT_SUPPORTED');
  });

  it('refunds once for one key', async () => {
    if (fixture.checkout === 'redirect') return;
    const { gatewayReference } = await gateway.createSession(sessionRequest());
    const request = { invoiceId, gatewayReference, amount: euros(1000), idempotencyKey: 'refund-1' };
    const [first, second] = [await gateway.refund(request), await gateway.refund(request)];
    expect(first).to.deep.equal(second);
    expect(fixture.count('refunds')).to.be.at.most(1);
  });

  it('refuses a webhook that is not signed', async () => {
    const reason = await reasonOf(gateway.parseWebhook({ rawBody: Buffer.from('{}'), headers: {} }));
    expect(reason).to.be.oneOf(['WEBHOOK_SIGNATURE_INVALID', 'WEBHOOK_NOT_SUPPORTED']);
  });

  it('lists no payments of an empty span', async () => {
    const time = new Date('2020-01-01T00:00:00Z');
    expect(await listAll(gateway, time, time)).to.deep.equal([]);
  });
}
