import { UpdateServiceRequest } from '@panel/protos/billing';
import { expect } from 'chai';
import { days, euroMessage, newUserId, type RunningBilling, startTestBilling } from '../harness.js';

describe('a higher price of a service', function () {
  this.timeout(120_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
  });
  afterEach(async () => {
    try {
      await billing.runUntilIdle();
      await billing.checkInvariants();
    } finally {
      await billing.stop();
    }
  });

  const staff = () => billing.as(newUserId(), ['billing.update', 'billing.view']);
  const buy = async (user: string, upgradeProductIds: readonly string[] = []) => {
    const { id: productId } = await billing.sell({ upgradeProductIds });
    await billing.grant(user, 10_000);
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = { paymentMethod: 'credits', items, couponCode: '', returnUrl: '', savePaymentMethod: false };
    const { services } = await billing.orders.checkout(
      { ...request, callerCountry: '', useCredits: false },
      billing.as(user),
    );
    await billing.runUntilIdle();
    return services[0]?.id ?? '';
  };
  const setPrice = async (serviceId: string, amountMinor: number) =>
    billing.services.updateService(
      UpdateServiceRequest.create({ serviceId, price: { amountMinor, currency: 'EUR' } }),
      staff(),
    );
  const pricesOf = async (serviceId: string) => {
    const found = await billing.mongo.collection('invoices').find({ 'items.subscriptionId': serviceId }).toArray();
    return found
      .toSorted((a, b) => Number(a['issuedAt']) - Number(b['issuedAt']))
      .map(({ items }) => (items as { unitPriceMinor: number }[])[0]?.unitPriceMinor);
  };
  const shown = async (user: string, serviceId: string) =>
    (await billing.services.getService({ serviceId }, billing.as(user))).service;
  const goOn = async (count: number) => {
    for (let day = 0; day < count; day += 1) {
      billing.advance(days(1));
      await billing.runUntilIdle();
    }
  };
  const notices = () => [...billing.mail.mails.values()].filter(({ mail }) => mail?.$case === 'priceChange');

  it('holds from the first period that begins after the notice, which its customer gets by mail', async () => {
    const user = newUserId();
    const serviceId = await buy(user);
    await goOn(2);
    await setPrice(serviceId, 599);
    const startTime = new Date('2026-03-15T12:00:00Z');
    const service = await shown(user, serviceId);
    expect(service?.price?.amountMinor).to.equal(499);
    expect(service?.priceChange).to.deep.equal({ price: euroMessage(599), startTime });
    await billing.runUntilIdle();
    const [notice] = notices();
    expect(notice?.mail?.value).to.deep.include({ oldPrice: '4.99 EUR', newPrice: '5.99 EUR', startTime });
    await goOn(95);
    expect(await pricesOf(serviceId)).to.deep.equal([499, 499, 599, 599]);
    const later = await shown(user, serviceId);
    expect([later?.price?.amountMinor, later?.priceChange]).to.deep.equal([599, undefined]);
    expect(notices()).to.have.length(1);
  });

  it('holds from the next period without a notice in the settings', async () => {
    const user = newUserId();
    const serviceId = await buy(user);
    billing.settings.priceChangeDays = 0;
    await setPrice(serviceId, 599);
    await goOn(35);
    expect(await pricesOf(serviceId)).to.deep.equal([499, 599]);
  });

  it('gives way to a lower one, which holds from the next period and needs no notice', async () => {
    const user = newUserId();
    const serviceId = await buy(user);
    await setPrice(serviceId, 599);
    await setPrice(serviceId, 399);
    expect((await shown(user, serviceId))?.priceChange).to.equal(undefined);
    await goOn(35);
    expect(await pricesOf(serviceId)).to.deep.equal([499, 399]);
    expect(notices()).to.have.length(1);
  });

  it('ends with a change of plan, whose price holds', async () => {
    const user = newUserId();
    const other = await billing.sell();
    const serviceId = await buy(user, [other.id]);
    await goOn(2);
    await setPrice(serviceId, 599);
    const request = { serviceId, productId: other.id, planId: '', paymentMethod: 'credits' };
    await billing.services.changePlan(request, billing.as(user));
    await billing.runUntilIdle();
    const service = await shown(user, serviceId);
    expect([service?.productId, service?.priceChange]).to.deep.equal([other.id, undefined]);
    await goOn(65);
    expect((await pricesOf(serviceId)).slice(-2)).to.deep.equal([499, 499]);
  });

  it('spares a customer who has cancelled until then', async () => {
    const user = newUserId();
    const serviceId = await buy(user);
    await goOn(2);
    await setPrice(serviceId, 599);
    await goOn(32);
    await billing.services.cancelService({ serviceId, immediately: false, reason: '' }, billing.as(user));
    await goOn(60);
    expect(await pricesOf(serviceId)).to.deep.equal([499, 499]);
  });
});
