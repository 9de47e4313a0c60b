import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { type FakeServices, startFakeServices } from './fake-services.js';
import { addUser, type Harness, refusal, signIn, startHarness, testEnvironment } from './harness.js';

describe('deletion of a user who has or owes something', function () {
  this.timeout(60_000);
  let harness: Harness;
  let fakeServices: FakeServices;
  before(async () => {
    const env = testEnvironment(testMongoUrl('identity'));
    fakeServices = await startFakeServices(env.SERVICE_SECRET ?? '');
    const { address } = fakeServices;
    const addresses = { ADMIN_ADDRESS: address, SERVERS_ADDRESS: address, BILLING_ADDRESS: address };
    harness = await startHarness({ env: { ...env, ...addresses } });
  });
  after(async () => {
    await harness.stop();
    await fakeServices.stop();
  });

  const remove = async (userId: string, force = false) => harness.user.deleteUser({ userId, force });

  it('refuses to delete a user with credits, open invoices or active services, and says what is open', async () => {
    const user = await addUser(harness);
    const euros = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });
    fakeServices.obligationsOf.set(user.id, {
      credits: [euros(1250), { amountMinor: 500, currency: 'JPY' }],
      openInvoicesCount: 2,
      openInvoicesDue: [euros(998)],
      activeServicesCount: 1,
      debts: [euros(30)],
    });
    const refused: unknown = await remove(user.id).catch((thrown: unknown) => thrown);
    expect(refused).to.have.property('reason', 'USER_HAS_OBLIGATIONS');
    expect(refused)
      .to.have.property('message')
      .that.includes('EUR 12.50 and JPY 500, a debt of EUR 0.30, 2 open invoices of EUR 9.98, and 1 active service');
    expect(refused)
      .to.have.property('metadata')
      .that.deep.equals({
        credits: [
          { amount: 1250, currency: 'EUR' },
          { amount: 500, currency: 'JPY' },
        ],
        open_invoices_count: 2,
        open_invoices_due: [{ amount: 998, currency: 'EUR' }],
        active_services_count: 1,
        debts: [{ amount: 30, currency: 'EUR' }],
      });
    await signIn(harness, user.email);
    await harness.user.getUser({ userId: user.id });
  });

  it('deletes a user with credits when told to by force, and never one with servers', async () => {
    const user = await addUser(harness);
    fakeServices.obligationsOf.set(user.id, {
      credits: [{ amountMinor: 1, currency: 'EUR' }],
      openInvoicesCount: 0,
      openInvoicesDue: [],
      activeServicesCount: 0,
      debts: [],
    });
    fakeServices.serversOf.set(user.id, 1);
    expect(await refusal(remove(user.id, true))).to.equal('USER_OWNS_SERVERS');
    fakeServices.serversOf.clear();
    expect(await refusal(remove(user.id))).to.equal('USER_HAS_OBLIGATIONS');
    await remove(user.id, true);
    expect(await refusal(harness.user.getUser({ userId: user.id }))).to.equal('USER_NOT_FOUND');
  });

  it('refuses to delete a user without force while billing is unavailable', async () => {
    const user = await addUser(harness);
    fakeServices.isBillingUnavailable = true;
    try {
      expect(await refusal(remove(user.id))).to.equal('BILLING_UNREACHABLE');
      await signIn(harness, user.email);
      await remove(user.id, true);
    } finally {
      fakeServices.isBillingUnavailable = false;
    }
  });
});
