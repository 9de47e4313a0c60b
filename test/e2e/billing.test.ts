import { randomUUID } from 'node:crypto';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { bootStack, type TestStack } from './support/stack.js';

describe('store over REST', function () {
  this.timeout(180_000);
  let test: TestStack;

  before(async () => {
    test = await bootStack();
  });
  after(async () => test?.stop());

  it('sells the demo server for credits and creates it', async () => {
    const { data: products } = await test.admin.get('/store/products');
    const product = products.find(({ slug }) => slug === 'lantern-caverns');
    expect(product?.plans.map(({ interval }) => interval)).to.deep.equal(['month', 'year', 'metered']);
    await test.admin.post('/store/cart', {
      body: { product_id: product?.id ?? '', config: { server_name: 'Bought' } },
    });
    const before = (await test.admin.get('/billing/credits')).data.balance;
    const { data } = await test.admin.post('/store/checkout', { body: { payment_method: 'credits' } });
    expect(data.invoice.status).to.equal('paid');
    expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before - 299);
    const serviceId = data.services[0]?.id ?? '';
    const service = await waitUntil('the service to be active', async () => {
      const { data: found } = await test.admin.get('/billing/services/{id}', { params: { id: serviceId } });
      return found.status === 'active' ? found : null;
    });
    const { data: server } = await test.admin.get('/servers/{id}', { params: { id: service.server_id ?? '' } });
    expect(server.name).to.equal('Bought');
    expect(server.limits.memory).to.equal(256);
    const { data: order } = await test.admin.get('/billing/orders/{id}', { params: { id: data.order.id } });
    expect(order.status).to.equal('completed');
  });

  it('answers 404 for invoices of other users and 403 for billing administration', async () => {
    const name = `buyer-${randomUUID().slice(0, 8)}`;
    const user = { email: `${name}@panel.test`, username: name, password: 'a long enough password' };
    await test.admin.post('/admin/users', { body: user });
    const anonymous = createPanelClient({ baseUrl: test.stack.baseUrl });
    const { access_token: token } = await anonymous.login(user.email, user.password);
    const buyer: PanelClient = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    const { data: invoices } = await test.admin.get('/billing/invoices');
    const get = async (path: string) =>
      (await fetch(`${test.stack.baseUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await get(`/billing/invoices/${invoices[0]?.id}`)).to.equal(404);
    expect(await get('/admin/billing/orders')).to.equal(403);
    expect((await buyer.get('/billing/credits')).data.balance).to.equal(0);
  });

  it('shows orders, revenue and open invoices to staff as JSON and CSV', async () => {
    // more than one where the purchase was repeated
    const orders = (await test.admin.get('/admin/billing/orders')).meta.total;
    expect(orders).to.be.above(0);
    const amount = 299 * orders;
    const { data } = await test.admin.get('/admin/billing/reports/revenue');
    expect(data.rows.at(-1)).to.include({ amount, currency: 'EUR' });
    const { data: recurring } = await test.admin.get('/admin/billing/reports/recurring-revenue');
    expect(recurring.rows.at(-1)).to.include({ amount, currency: 'EUR', active_services: orders, churn: 0 });
    const { access_token: token } = await createPanelClient({ baseUrl: test.stack.baseUrl }).login(
      test.adminEmail,
      test.password,
    );
    const csvOf = async (report: string) => {
      const csv = await fetch(`${test.stack.baseUrl}/api/v1/admin/billing/reports/${report}?format=csv`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(csv.headers.get('content-type'), report).to.contain('text/csv');
      return csv.text();
    };
    const decimal = (amount / 100).toFixed(2);
    expect(await csvOf('revenue')).to.contain(`Lantern Caverns,${decimal},EUR`);
    expect(await csvOf('recurring-revenue')).to.match(
      new RegExp(`^month,amount,currency,[\\s\\S]*,${decimal},EUR,${orders},`),
    );
    const { data: open } = await test.admin.get('/admin/billing/reports/open-invoices');
    const lines = (await csvOf('open-invoices')).trim().split('\r\n');
    expect(lines[0]).to.equal('id,number,user_id,customer,status,due_at,amount,currency');
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(open.rows.map(({ id }) => id));
  });

  it('takes a customer from an unpaid invoice through a change of plan to a refund', async () => {
    const { data: products } = await test.admin.get('/store/products');
    const small = products.find(({ slug }) => slug === 'lantern-caverns');
    if (!small?.server) throw new Error('the shop sells nothing');
    const { id: _id, created_at: _created, updated_at: _updated, ...sold } = small;
    const plan = { name: 'Monthly', price: 599 };
    const server = { ...small.server, memory: 384 };
    const { data: big } = await test.admin.post('/admin/billing/products', {
      body: { ...sold, name: 'Large caverns', slug: `large-caverns-${randomUUID()}`, plans: [plan], server },
    });
    await test.admin.put('/admin/billing/products/{id}', {
      params: { id: small.id },
      body: { upgrade_product_ids: [big.id] },
    });

    const items = [{ product_id: small.id }];
    const { data: bought } = await test.admin.post('/store/checkout', { body: { payment_method: 'manual', items } });
    expect([bought.invoice.status, bought.services[0]?.status]).to.deep.equal(['unpaid', 'pending']);
    const invoice = { id: bought.invoice.id };
    const { data: paid } = await test.admin.put('/admin/billing/invoices/{id}', {
      params: invoice,
      body: { status: 'paid', reference: 'bank transfer 7' },
    });
    expect(paid.payments[0]?.method).to.equal('manual');
    const params = { id: bought.services[0]?.id ?? '' };
    const active = await waitUntil('the service to be active with a server', async () => {
      const { data } = await test.admin.get('/billing/services/{id}', { params });
      return data.status === 'active' && data.server_id ? data.server_id : null;
    });

    const { data: changed } = await test.admin.post('/billing/services/{id}/plan', {
      params,
      body: { product_id: big.id, plan_id: big.plans[0]?.id ?? '', payment_method: 'credits' },
    });
    expect(changed.prorated.amount).to.be.within(1, 300);
    await waitUntil('the memory of the new plan', async () => {
      const { data } = await test.admin.get('/servers/{id}', { params: { id: active } });
      return data.limits.memory === 384 ? data : null;
    });

    const suspend = { params, body: { action: 'suspend' as const } };
    await test.admin.put('/admin/billing/services/{id}', suspend);
    await waitUntil('the server to be suspended', async () => {
      const { data } = await test.admin.get('/servers/{id}', { params: { id: active } });
      return data.suspended ? data : null;
    });
    const before = (await test.admin.get('/billing/credits')).data.balance;
    const { data: refund } = await test.admin.post('/admin/billing/invoices/{id}/refund', {
      params: invoice,
      body: { destination: 'credits', reason: 'not wanted', cancel_services: true },
    });
    expect([refund.invoice.status, refund.credit_note?.total.amount]).to.deep.equal(['refunded', -299]);
    expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before + 299);
    await waitUntil('the server to be gone', async () => {
      const { data } = await test.admin.get('/admin/servers', { query: { per_page: 100 } });
      return data.some(({ id }) => id === active) ? null : data;
    });
    const { data: activity } = await waitUntil('the event of the refund', async () => {
      const found = await test.admin.get('/admin/activity', { query: { search: 'billing:invoice.refund' } });
      return found.data.length > 0 ? found : null;
    });
    expect(activity[0]?.event).to.equal('billing:invoice.refund');
  });

  it('prints invoices, buys credits, and shows an operator what does not agree', async () => {
    const { data: invoices } = await test.admin.get('/billing/invoices');
    const { access_token: token } = await createPanelClient({ baseUrl: test.stack.baseUrl }).login(
      test.adminEmail,
      test.password,
    );
    const print = async (format: string) =>
      fetch(`${test.stack.baseUrl}/api/v1/billing/invoices/${invoices[0]?.id}?format=${format}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect(await (await print('html')).text()).to.contain(invoices[0]?.number);
    const pdf = Buffer.from(await (await print('pdf')).arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    const { data: wanted } = await test.admin.post('/billing/credits', {
      body: { amount: { amount: 500, currency: 'EUR' }, payment_method: 'manual' },
    });
    const before = (await test.admin.get('/billing/credits')).data.balance;
    const params = { id: wanted.invoice.id };
    await test.admin.put('/admin/billing/invoices/{id}', { params, body: { status: 'paid', reference: 'cash' } });
    expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before + 500);
    const { data: compared } = await test.admin.get('/admin/billing/reports/discrepancies');
    expect(compared.discrepancies).to.be.an('array');
  });

  it('says where the money of an invoice goes, and books what a statement says has arrived', async () => {
    const refused = test.admin.put('/admin/settings', { body: { billing: { bank_iban: 'DE00120300000000202051' } } });
    expect(await refused.catch((error: unknown) => error)).to.have.nested.property('details.billing\\.bank_iban');
    const account = { bank_account_holder: 'Shop', bank_iban: 'DE02 1203 0000 0000 2020 51', bank_bic: 'BYLADEM1001' };
    await test.admin.put('/admin/settings', { body: { billing: account } });
    const body = { amount: { amount: 1_234, currency: 'EUR' }, payment_method: 'manual', return_url: '' };
    const { invoice } = (await test.admin.post('/billing/credits', { body })).data;
    const read = async () =>
      (await test.admin.get('/billing/invoices/{id}/bank-transfer', { params: { id: invoice.id } })).data;
    // Settings reach billing within seconds.
    const transfer = await waitUntil('billing to know the account', async () => read().catch(() => null));
    expect(transfer).to.include({ iban: 'DE02120300000000202051', reference: invoice.number, account_holder: 'Shop' });
    expect(transfer.amount).to.deep.equal({ amount: 1_234, currency: 'EUR' });
    const content = `Buchungstag;Verwendungszweck;Betrag\n30.11.2026;${invoice.number} danke;12,34\n`;
    const imported = async (dry_run: boolean) =>
      (await test.admin.post('/admin/billing/bank-statements', { body: { format: 'csv', content, dry_run } })).data
        .entries;
    expect((await imported(true))[0]).to.include({
      result: 'booked',
      date: '2026-11-30',
      text: `${invoice.number} danke`,
    });
    expect((await imported(false))[0]?.invoice_ids).to.deep.equal([invoice.id]);
    expect((await imported(false))[0]?.result).to.equal('known');
    const paid = (await test.admin.get('/billing/invoices/{id}', { params: { id: invoice.id } })).data;
    expect(paid.status).to.equal('paid');
  });

  it('gives electronic invoices once the settings say who sells', async () => {
    const put = async (billing: Record<string, string | boolean>) =>
      test.admin.put('/admin/settings', { body: { billing } });
    expect(await put({ e_invoice: true }).catch((error: unknown) => error)).to.have.nested.property(
      'reasons.billing\\.seller_city',
    );
    const issue = async () => {
      const body = { amount: { amount: 1_000, currency: 'EUR' }, payment_method: 'manual', return_url: '' };
      return (await test.admin.post('/billing/credits', { body })).data.invoice;
    };
    const print = async (id: string, format: 'pdf' | 'xml') =>
      test.admin.download('/billing/invoices/{id}', { params: { id }, query: { format }, headers: {} });
    const { id: early } = await issue();
    expect(await print(early, 'xml').catch((error: unknown) => error)).to.have.nested.property(
      'details.reason',
      'e_invoice_unavailable',
    );
    const seller = { seller_name: 'Shop', seller_address: 'Ring 1', seller_postcode: '10115', seller_city: 'Berlin' };
    await put({ e_invoice: true, ...seller, seller_country: 'DE', seller_tax_number: '21/815/08150' });
    await test.admin.put('/billing/profile', { body: { buyer_reference: '04011000-12345-34' } });
    const { id, number } = await waitUntil('billing to know the seller', async () => {
      const invoice = await issue();
      return (await print(invoice.id, 'xml').catch(() => null)) ? invoice : null;
    });
    const response = await print(id, 'xml');
    expect(response.headers.get('content-type')).to.match(/^application\/xml/);
    expect(response.headers.get('content-disposition')).to.include(`${number}.xml`);
    expect(await response.text())
      .to.include('CrossIndustryInvoice')
      .and.include('04011000-12345-34');
    expect(Buffer.from(await (await print(id, 'pdf')).arrayBuffer()).includes('factur-x.xml')).to.equal(true);
    await put({ e_invoice: false });
  });

  it('leaves the tax to a business elsewhere in the EU, and exempts a customer by staff', async () => {
    const put = async (billing: Parameters<typeof settingsBody>[0]) =>
      test.admin.put('/admin/settings', { body: settingsBody(billing) });
    const settingsBody = (billing: { tax_scheme: 'eu' | 'fixed'; tax_rate: number; seller_vat_number?: string }) => ({
      billing: { ...billing, seller_country: 'DE' },
    });
    const incomplete = put({ tax_scheme: 'eu', tax_rate: 19 });
    expect(await incomplete.catch((error: unknown) => error)).to.have.nested.property(
      'reasons.billing\\.seller_vat_number',
    );
    await put({ tax_scheme: 'eu', tax_rate: 19, seller_vat_number: 'DE136695976' });
    const name = `business-${randomUUID().slice(0, 8)}`;
    const user = { email: `${name}@panel.test`, username: name, password: 'a long enough password' };
    const { data: created } = await test.admin.post('/admin/users', { body: user });
    const anonymous = createPanelClient({ baseUrl: test.stack.baseUrl });
    const { access_token: token } = await anonymous.login(user.email, user.password);
    const buyer: PanelClient = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    const { data: products } = await test.admin.get('/store/products');
    const items = [{ product_id: products.find(({ slug }) => slug === 'lantern-caverns')?.id ?? '' }];
    const buy = async () => {
      const body = { payment_method: 'manual', items };
      const { data } = await buyer.post('/store/checkout', { body });
      const { tax_treatment, tax_rate, tax_reason, taxes, total } = data.invoice;
      const pdf = await buyer.download('/billing/invoices/{id}', {
        params: { id: data.invoice.id },
        query: { format: 'html' },
      });
      return {
        tax_treatment,
        tax_rate,
        tax_reason,
        rates: taxes.map(({ rate }) => rate),
        total,
        text: await pdf.text(),
      };
    };
    await buyer.post('/store/cart', { body: items[0] ?? { product_id: '' } });
    await waitUntil('billing to know the settings', async () => {
      const { data: cart } = await buyer.get('/store/cart');
      return cart.taxes.some(({ rate }) => rate === 19) ? cart : null;
    });
    expect(await buy()).to.include({ tax_treatment: 'standard', tax_rate: 19 });
    const { data: profile } = await buyer.put('/billing/profile', {
      body: { country: 'FR', vat_number: 'FR40303265045' },
    });
    expect(profile).to.include({ vat_state: 'unchecked', tax_exemption: null });
    const reversed = await buy();
    expect(reversed).to.deep.include({ tax_treatment: 'reverse_charge', rates: [0], tax_reason: null });
    expect(reversed.text).to.include('Reverse charge').and.include('VAT FR40303265045');
    const params = { id: created.id };
    await test.admin.put('/admin/users/{id}/billing/profile', { params, body: { tax_exemption: 'Embassy' } });
    const { data: seen } = await test.admin.get('/admin/users/{id}/billing/profile', { params });
    expect(seen).to.include({ email: user.email, vat_number: 'FR40303265045', tax_exemption: 'Embassy' });
    expect(await buy()).to.include({ tax_treatment: 'exempt', tax_reason: 'Embassy' });
    await put({ tax_scheme: 'fixed', tax_rate: 0 });
  });
});
