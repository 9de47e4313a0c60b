import { CheckoutRequest, UpdateServiceRequest, UpdateServiceRequest_Action } from '@panel/protos/billing';
import { expect } from 'chai';
import { reconcile } from '../../src/reconciliation/reconcile.js';
import { days, newUserId, type RunningBilling, startTestBilling } from '../harness.js';

describe('services of a deleted user', function () {
  this.timeout(60_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => {
    await billing.stop();
  });

  const price = 499;
  /** Paid for a month. */
  const buy = async (user: string, credits = 10 * price) => {
    await billing.grant(user, credits);
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
    const { services } = await billing.orders.checkout(request, billing.as(user));
    await billing.runUntilIdle();
    return services[0]?.id ?? '';
  };
  const view = async (id: string) => {
    const found = await billing.context.subscriptions.get(id);
    return found ?? expect.fail('no such service');
  };
  const goTo = async (at: Date) => {
    billing.setTime(at);
    await billing.runUntilIdle();
  };
  const afterDue = async (id: string, ms: number) => new Date(Number((await view(id)).nextDueAt) + ms);
  const invoices = async (userId: string) => billing.mongo.collection('invoices').find({ userId }).toArray();
  const findings = async () => {
    billing.advance(11 * 60_000);
    await reconcile(billing.context, new AbortController().signal);
    const { discrepancies } = await billing.reports.listDiscrepancies({}, billing.as(newUserId(), ['billing.view']));
    return discrepancies.map(({ kind, reference, repaired }) => ({ kind, reference, repaired }));
  };

  it('suspends the service at the end of the paid time and renews it no more', async () => {
    const user = newUserId();
    const id = await buy(user);
    billing.deletedUsers.add(user);
    await goTo(await afterDue(id, -days(3)));
    expect(await view(id)).to.include({ status: 'active' });
    await goTo(await afterDue(id, 60_000));
    expect(await view(id)).to.deep.include({ status: 'suspended', suspendReasons: ['no_user'], renewAt: null });
    expect([...billing.servers.servers.values()].map(({ suspended }) => suspended)).to.deep.equal([true]);
    await goTo(await afterDue(id, days(400)));
    expect(await view(id)).to.include({ status: 'suspended' });
    expect(await invoices(user)).to.have.lengthOf(1);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(9 * price);
  });

  it('lists the service for staff until staff end it with one action', async () => {
    const [user, other] = [newUserId(), newUserId()];
    const id = await buy(user);
    await buy(other);
    expect(await findings()).to.deep.equal([]);
    billing.deletedUsers.add(user);
    const listed = [{ kind: 'service_without_user', reference: id, repaired: false }];
    expect(await findings()).to.deep.equal(listed);
    await goTo(await afterDue(id, 2 * 3_600_000));
    expect((await findings()).filter(({ reference }) => reference === id)).to.deep.equal(listed);
    const action = UpdateServiceRequest.create({ serviceId: id, action: UpdateServiceRequest_Action.TERMINATE });
    await billing.services.updateService(action, billing.as(newUserId(), ['billing.update', 'billing.view']));
    await billing.runUntilIdle();
    expect((await findings()).filter(({ reference }) => reference === id)).to.deep.equal([]);
    expect(billing.servers.servers.size).to.equal(1);
  });

  it('charges and reminds of nothing for an open invoice and ends the service when that stays unpaid', async () => {
    const user = newUserId();
    const id = await buy(user, price);
    await goTo(await afterDue(id, -days(3)));
    expect((await invoices(user)).map(({ status }) => status)).to.deep.equal(['paid', 'unpaid']);
    await billing.grant(user, 10 * price);
    billing.deletedUsers.add(user);
    const mails = billing.mail.events();
    const due = await afterDue(id, 0);
    for (let day = 0; day <= 60; day += 2) await goTo(new Date(due.getTime() + days(day)));
    expect(await view(id)).to.include({ status: 'terminated' });
    const documents = (await invoices(user)).map(({ kind, status }) => `${kind} ${status}`);
    expect(documents).to.deep.equal(['invoice paid', 'invoice void', 'credit_note void']);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(10 * price);
    expect(billing.servers.servers.size).to.equal(0);
    expect(billing.mail.events()).to.deep.equal(mails);
  });

  it('leaves no mail in the outbox', async () => {
    const user = newUserId();
    const id = await buy(user);
    billing.deletedUsers.add(user);
    const sent = billing.mail.mails.size;
    await goTo(await afterDue(id, 60_000));
    const pending = { _id: id as never, 'outbox.entries.0': { $exists: true } };
    expect(await billing.mongo.collection('subscriptions').countDocuments(pending)).to.equal(0);
    expect(billing.mail.mails.size).to.equal(sent);
  });
});
