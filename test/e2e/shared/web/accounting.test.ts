import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { Download } from 'playwright-core';
import { axeFindings, readAxe } from '../../support/axe.js';
import { sharedStack } from '../../support/shared-stack.js';
import type { SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';

const address = '/staff/billing/accounting';

describe('the accounting page of the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  const customer = `Kunde ${randomUUID().slice(0, 8)}`;
  const month = new Date().toISOString().slice(0, 7);

  before(async function () {
    test = await sharedStack();
    await test.admin.put('/billing/profile', { body: { name: customer } });
    const buy = async (amount: number) =>
      (await test.admin.post('/billing/credits', { body: { amount, payment_method: 'manual' } })).data.invoice.id;
    await buy(1_234);
    const id = await buy(5_678);
    await test.admin.put('/admin/billing/invoices/{id}', { params: { id }, body: { status: 'paid' } });
    await waitUntil('the journal to have both', async () => {
      const { data: open } = await test.admin.get('/admin/billing/reports/receivables');
      const { data: payments } = await test.admin.get('/admin/billing/reports/payments');
      const own = open.rows.find((row) => row.customer === customer);
      return own?.total === 1_234 && payments.rows.some(({ received }) => received >= 5_678);
    });
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await test?.admin.put('/admin/settings', { body: { billing: { datev_consultant: 0, datev_client: 0 } } });
    await web?.close();
  });

  const open = async (query = '') => web.page.goto(`${test.stack.baseUrl}${address}${query}`);
  const downloadOf = async (button: string): Promise<Download> => {
    const [download] = await Promise.all([
      web.page.waitForEvent('download'),
      web.page.getByRole('button', { name: button, exact: true }).click(),
    ]);
    return download;
  };

  it('says when there is nothing in a month', async () => {
    const { page } = web;
    await open('?from=2020-01&to=2020-01');
    await page.getByText('There is nothing in this time.').waitFor();
    expect(await page.getByLabel('From').inputValue()).to.equal('2020-01');
  });

  it('shows what customers owe by age, with totals by currency, and its table', async () => {
    const { page } = web;
    await open();
    await page.getByLabel('Report').selectOption('receivables');
    await page.waitForURL(/report=receivables/);
    const row = page.getByRole('table', { name: 'Receivables by age' }).getByRole('row', { name: customer });
    expect(await row.textContent()).to.contain('€12.34');
    const totals = page.getByRole('table', { name: 'Totals by currency' }).getByRole('row', { name: 'EUR' });
    expect(await totals.count()).to.equal(1);
    const file = await downloadOf('Download (CSV)');
    expect(file.suggestedFilename()).to.equal('receivables.csv');
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(lines[0]).to.equal(
      'user_id,customer,not_due,overdue_30,overdue_60,overdue_90,overdue_longer,debt,total,currency',
    );
    expect(lines.find((line) => line.includes(customer))).to.match(/,12\.34,0\.00,0\.00,0\.00,0\.00,0\.00,12\.34,EUR$/);
    expect(lines.some((line) => line.startsWith(',total,'))).to.equal(true);
  });

  it('shows no debt of a day before', async () => {
    const { page } = web;
    await open('?report=receivables&at=2020-01-31');
    await page.getByText('There is nothing in this time.').waitFor();
  });

  it('shows payments by gateway for the months that are chosen', async () => {
    const { page } = web;
    await open('?report=payments&from=2020-01');
    await page.getByText('There is nothing in this time.').waitFor();
    await page.getByLabel('To', { exact: true }).fill(month);
    await page.getByLabel('From').fill(month);
    const row = page.getByRole('table', { name: 'Payments by gateway' }).getByRole('row', { name: 'manual' });
    await row.first().waitFor();
    expect(await row.first().textContent()).to.contain(month);
    expect(await page.evaluate<string>('location.search')).to.equal(`?report=payments&from=${month}&to=${month}`);
  });

  it('saves the journal, for DATEV once the settings have its numbers, and all documents of a month', async () => {
    const { page } = web;
    await open();
    await page.getByLabel('Month', { exact: true }).fill(month);
    const csv = await downloadOf('Journal (CSV)');
    expect(csv.suggestedFilename()).to.equal(`journal-${month}.csv`);
    expect(await readFile(await csv.path(), 'utf8')).to.match(/^date,entry,kind,[\s\S]*,cash:manual,56\.78,,EUR/);
    const objects = await readFile(await (await downloadOf('Journal (NDJSON)')).path(), 'utf8');
    expect(
      objects
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object)[0]),
    ).to.include('id');
    await page.getByRole('button', { name: 'Journal (DATEV)' }).click();
    await page.getByText(/datev_consultant/).waitFor();
    await test.admin.put('/admin/settings', { body: { billing: { datev_consultant: 29_098, datev_client: 55_003 } } });
    const datev = await waitUntil('billing to read the settings', async () => {
      const path = `/api/v1/admin/billing/reports/journal?format=datev&month=${month}`;
      const headers = { authorization: `Bearer ${test.admin.token()}` };
      return (await fetch(`${test.stack.baseUrl}${path}`, { headers })).ok ? downloadOf('Journal (DATEV)') : null;
    });
    expect(datev.suggestedFilename()).to.equal(`EXTF_Buchungsstapel_${month}.csv`);
    const rows = (await readFile(await datev.path(), 'latin1')).split('\r\n');
    expect(rows[0]).to.match(/^"EXTF";700;21;"Buchungsstapel";13;\d{17};/);
    expect(rows.some((row) => row.startsWith('56,78;"H";"EUR";;;;1410;1200;'))).to.equal(true);
    const documents = await downloadOf('All documents (ZIP)');
    expect(documents.suggestedFilename()).to.equal(`documents-${month}.zip`);
    expect((await readFile(await documents.path())).subarray(0, 2).toString()).to.equal('PK');
  });

  for (const [locale, width] of [
    ['de', 1440],
    ['ar', 320],
  ] as const) {
    it(`shows rows without findings of axe in ${locale} at ${width} px`, async function () {
      const axe = await readAxe();
      const other = await openWeb(this, test, { locale, width });
      try {
        await other.signIn();
        for (const report of ['receivables', 'payments']) {
          await other.page.goto(`${test.stack.baseUrl}${address}?report=${report}&from=${month}&to=${month}`);
          await other.page.locator('table').first().waitFor();
          await other.page.evaluate(axe);
          expect(await axeFindings(other.page, report)).to.deep.equal([]);
          const overflow = await other.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          expect(overflow, report).to.equal(0);
        }
        expect(other.complaints).to.deep.equal([]);
      } finally {
        await other.close();
      }
    });
  }

  it('asks for nothing without the right to see billing', async () => {
    const username = `keeper-${randomUUID().slice(0, 8)}`;
    const role = { name: username, permissions: ['servers.view' as const, 'roles.view' as const] };
    const { data } = await test.admin.post('/admin/roles', { body: role });
    const user = { username, email: `${username}@panel.test`, password: 'a long enough password', role_id: data.id };
    await test.admin.post('/admin/users', { body: user });
    const page = await web.openForeign();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/billing/reports/')) asked.push(request.url());
    });
    await page.goto(`${test.stack.baseUrl}${address}`);
    await signInAs(page, user.email, user.password);
    await page.getByText('Your role lacks billing.view.').waitFor();
    expect(asked).to.deep.equal([]);
  });

  it('leaves the browser without complaints', () => {
    expect(web.complaints.filter((text) => !/422 \(/.test(text))).to.deep.equal([]);
  });
});
