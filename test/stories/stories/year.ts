import type { Service } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { dayMs } from '../panel.js';
import { expectThat, money, type Scene, type Story } from '../scene.js';
import { openShop, type Shop, shopDays } from '../shop.js';

/** Months after which something happens besides the renewal. */
interface Course {
  readonly months: number;
  readonly changesPlan: number;
  readonly paysLate: number;
  readonly getsRefund: number;
}

export const year = customerStory('year', 'a year of one customer', {
  months: 12,
  changesPlan: 4,
  paysLate: 7,
  getsRefund: 9,
});

export const quarter = customerStory('quarter', 'three months of one customer', {
  months: 3,
  changesPlan: 1,
  paysLate: 2,
  getsRefund: 3,
});

function customerStory(name: string, title: string, course: Course): Story {
  return { name, title, play: async (scene) => play(scene, course) };
}

async function play(scene: Scene, course: Course): Promise<void> {
  const shop = await openShop(scene);
  const serviceId = await buy(scene, shop);
  await buyCredits(scene, 1_500);
  for (let month = 1; month <= course.months; month += 1) {
    if (month === course.changesPlan) await changePlan(scene, shop, serviceId);
    await renew(scene, serviceId, month === course.paysLate);
    if (month === course.getsRefund) await refund(scene);
  }
  await cancel(scene, serviceId);
  // The purchase, the credits, the change of plan and the refund.
  expectThat('every renewal has one document', (await scene.invoices()).length === course.months + 4);
}

async function buy(scene: Scene, { small, coupon }: Shop): Promise<string> {
  await scene.say(`buys ${small.name} with the coupon ${coupon}, by bank transfer`);
  const items = [{ product_id: small.id, config: { server_name: 'Cavern' } }];
  const body = { payment_method: 'manual', items, coupon };
  const { invoice, services } = (await scene.customer.panel.post('/store/checkout', { body })).data;
  await scene.settle();
  await scene.advanceDays(2);
  await scene.payByTransfer(invoice);
  const id = services[0]?.id ?? '';
  await waitUntil('the server of the service', async () => {
    const { status, server_id: serverId } = await scene.service(id);
    return status === 'active' && serverId !== null;
  });
  await scene.observe();
  return id;
}

async function buyCredits(scene: Scene, amount: number): Promise<void> {
  await scene.say(`buys credits of ${money({ amount, currency: 'EUR' })} by bank transfer`);
  const body = { amount: { amount, currency: 'EUR' }, payment_method: 'manual' };
  const { invoice } = (await scene.customer.panel.post('/billing/credits', { body })).data;
  await scene.payByTransfer(invoice);
}

/** From the invoice to the payment, which the credits make as long as they last. */
async function renew(scene: Scene, serviceId: string, isLate: boolean): Promise<void> {
  const due = dueOf(await scene.service(serviceId));
  await scene.advanceTo(new Date(due.getTime() - (shopDays.invoiceBefore - 1) * dayMs));
  const [invoice] = await scene.openInvoices();
  if (isLate) {
    if (!invoice) throw new Error('nothing is left to be paid late');
    await scene.say('does not pay');
    await scene.advanceTo(new Date(due.getTime() + (shopDays.suspend + 1) * dayMs));
    const { status, suspend_reason: reason } = await scene.service(serviceId);
    expectThat('an unpaid service is suspended', status === 'suspended' && reason === 'overdue');
    await scene.advanceDays(2);
    await scene.say('pays late');
    await scene.payByTransfer(invoice);
    await waitUntil('the end of the suspension', async () => {
      return (await scene.service(serviceId)).status === 'active';
    });
    await scene.observe();
  } else if (invoice) {
    await scene.advanceTo(new Date(due.getTime() - 2 * dayMs));
    await scene.payByTransfer(invoice);
  }
  await scene.advanceTo(new Date(due.getTime() + dayMs));
  const renewed = await scene.service(serviceId);
  expectThat('a paid service is active', renewed.status === 'active');
  expectThat('a paid service is renewed', dueOf(renewed) > due);
}

async function changePlan(scene: Scene, { large }: Shop, serviceId: string): Promise<void> {
  await scene.advanceDays(9);
  await scene.say(`changes to ${large.name}`);
  const body = { product_id: large.id, plan_id: large.plans[0]?.id ?? '', payment_method: 'manual' };
  const params = { id: serviceId };
  const { prorated } = (await scene.customer.panel.post('/billing/services/{id}/plan', { params, body })).data;
  expectThat('the rest of the period costs more', prorated.amount > 0);
  await scene.settle();
  const [invoice] = await scene.openInvoices();
  if (invoice) await scene.payByTransfer(invoice);
  await waitUntil('the new plan', async () => (await scene.service(serviceId)).product.id === large.id);
  await scene.observe();
}

async function refund(scene: Scene): Promise<void> {
  const paid = (await scene.invoices()).findLast(({ kind, status }) => kind === 'invoice' && status === 'paid');
  if (!paid) throw new Error('there is no paid invoice');
  const amount = { amount: Math.floor(paid.total.amount / 2), currency: 'EUR' };
  await scene.say(`gets ${money(amount)} of ${paid.number} back as credits`);
  const before = await scene.balance();
  const body = { amount, destination: 'credits' as const, reason: 'the server was slow' };
  await scene.panel.admin.post('/admin/billing/invoices/{id}/refund', { params: { id: paid.id }, body });
  await scene.settle();
  expectThat('a refund comes to the credits', (await scene.balance()) === before + amount.amount);
}

async function cancel(scene: Scene, serviceId: string): Promise<void> {
  await scene.advanceDays(5);
  await scene.say('cancels at the end of the period');
  await scene.customer.panel.delete('/billing/services/{id}', { params: { id: serviceId } });
  await scene.settle();
  const service = await scene.service(serviceId);
  await scene.advanceTo(new Date(dueOf(service).getTime() + dayMs));
  expectThat('a cancelled service ends', (await scene.service(serviceId)).status === 'cancelled');
  await waitUntil('the end of the server', async () => {
    const { data } = await scene.customer.panel.get('/servers');
    return data.length === 0;
  });
}

function dueOf({ next_due_at: due }: Service): Date {
  if (due === null) throw new Error('the service has no due date');
  return new Date(due);
}
