import { CheckoutRequest, Invoice_Status, type Money, type ReceivablesRow } from '@panel/protos/billing';
import { expect } from 'chai';
import type { JournalEntry, JournalKind } from '../../src/domain/journal.js';
import { fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';

const price = 499;

const minor = (money: Money | undefined) => money?.amountMinor ?? 0;
const agesOf = (row: ReceivablesRow | undefined) =>
  row && [row.notDue, row.overdue30, row.overdue60, row.overdue90, row.overdueLonger, row.debt, row.total].map(minor);

describe('the reports from the journal', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => billing.stop());

  const staff = () => billing.as(newUserId(), ['billing.view', 'billing.update']);
  const order = async (user: string, productId: string) => {
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice } = await billing.orders.checkout(request, billing.as(user));
    return { id: invoice?.id ?? '', dueTime: invoice?.dueTime ?? new Date(0) };
  };
  const pay = async (invoiceId: string) =>
    billing.invoices.updateInvoiceStatus({ invoiceId, status: Invoice_Status.PAID, reference: '' }, staff());
  const receivables = async (at: string, currency = '', userId = '') =>
    billing.reports.getReceivables({ at, currency, userId }, staff());
  const post = async (
    userId: string,
    currency: string,
    at: string,
    lines: Readonly<Record<string, number>>,
    kind: JournalKind = 'credits',
  ) => {
    const id = newUserId();
    const entry: JournalEntry = {
      id,
      kind,
      at: new Date(at),
      userId,
      currency,
      documentId: id,
      text: '',
      lines: Object.entries(lines).map(([account, amountMinor]) => ({ account, amountMinor })),
    };
    await billing.context.journal.insert([entry]);
  };

  it('shows what was open at the end of a day by its age, and nothing before its issue or after its payment', async () => {
    billing.setTime(new Date('2026-01-10T12:00:00Z'));
    const product = await billing.sell();
    const user = newUserId();
    const profile = { name: 'Ada', company: '', address: '', country: '', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(user));
    const { id, dueTime } = await order(user, product.id);
    const dayAfterDue = (days: number) => new Date(dueTime.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    billing.setTime(new Date(dueTime.getTime() + 120 * 86_400_000));
    await pay(id);
    await billing.runUntilIdle();
    const ages: [number, number[]][] = [];
    for (const days of [0, 1, 30, 31, 60, 61, 90, 91, 119]) {
      const { rows } = await receivables(dayAfterDue(days));
      expect(rows.map(({ userId, customer }) => [userId, customer])).to.deep.equal([[user, 'Ada']]);
      ages.push([days, agesOf(rows[0]) ?? []]);
    }
    expect(ages).to.deep.equal([
      [0, [price, 0, 0, 0, 0, 0, price]],
      [1, [0, price, 0, 0, 0, 0, price]],
      [30, [0, price, 0, 0, 0, 0, price]],
      [31, [0, 0, price, 0, 0, 0, price]],
      [60, [0, 0, price, 0, 0, 0, price]],
      [61, [0, 0, 0, price, 0, 0, price]],
      [90, [0, 0, 0, price, 0, 0, price]],
      [91, [0, 0, 0, 0, price, 0, price]],
      [119, [0, 0, 0, 0, price, 0, price]],
    ]);
    expect((await receivables('2026-01-09')).rows, 'before its issue').to.deep.equal([]);
    expect((await receivables('2026-01-10')).rows, 'on its day').to.have.length(1);
    expect((await receivables(dayAfterDue(120))).rows, 'once it is paid').to.deep.equal([]);
    expect(await receivables(''), 'today').to.deep.include({ at: dayAfterDue(120), rows: [] });
  });

  it('sums invoices, debts and money on its way back by customer and currency, the largest first', async () => {
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    const [a, b] = [newUserId(), newUserId()];
    await post(a, 'EUR', '2026-02-01T00:00:00Z', { 'receivable:none': 700, 'sales:none': -700 }, 'issue');
    await post(a, 'EUR', '2026-02-02T00:00:00Z', { [`debt:${a}`]: 200, 'usage:s': -200 });
    await post(b, 'EUR', '2026-02-02T00:00:00Z', { [`debt:${b}`]: 1_500, 'usage:t': -1_500 });
    await post(b, 'EUR', '2026-02-03T00:00:00Z', { [`debt:${b}`]: -500, 'credits:l': -20, 'usage:t': 520 });
    await post(b, 'JPY', '2026-02-03T00:00:00Z', { 'receivable:back': -90, 'cash:manual': 90 }, 'refund');
    const { rows, totals } = await receivables('2026-02-28');
    expect(rows.map((row) => [row.userId, row.total?.currency, agesOf(row)])).to.deep.equal([
      [b, 'EUR', [0, 0, 0, 0, 0, 1_000, 1_000]],
      [a, 'EUR', [700, 0, 0, 0, 0, 200, 900]],
      [b, 'JPY', [-90, 0, 0, 0, 0, 0, -90]],
    ]);
    expect(rows[2]?.total?.digits).to.equal(0);
    expect(totals.map((row) => [row.userId, row.total?.currency, agesOf(row)])).to.deep.equal([
      ['', 'EUR', [700, 0, 0, 0, 0, 1_200, 1_900]],
      ['', 'JPY', [-90, 0, 0, 0, 0, 0, -90]],
    ]);
    expect((await receivables('2026-02-28', 'JPY')).rows.map(({ userId }) => userId)).to.deep.equal([b]);
    expect((await receivables('2026-02-28', '', a)).rows.map(({ userId }) => userId)).to.deep.equal([a]);
    const before = await receivables('2026-02-02', 'EUR', b);
    expect(before.rows.map(agesOf)).to.deep.equal([[0, 0, 0, 0, 0, 1_500, 1_500]]);
  });

  it('counts money on its way back as not due, of an old invoice too', async () => {
    billing.setTime(new Date('2026-01-10T12:00:00Z'));
    const product = await billing.sell();
    const user = newUserId();
    const { id } = await order(user, product.id);
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    await billing.runJobs('write-journal');
    await post(
      user,
      'EUR',
      '2026-02-01T00:00:00Z',
      { [`receivable:${id}`]: -price - 90, 'sales:x': price + 90 },
      'issue',
    );
    expect((await receivables('2026-03-01')).rows.map(agesOf)).to.deep.equal([[-90, 0, 0, 0, 0, 0, -90]]);
  });

  it('takes the day, and days since a due one, in the time zone of the settings', async () => {
    billing.settings.timezone = 'Europe/Berlin';
    billing.setTime(new Date('2026-01-10T12:00:00Z'));
    const product = await billing.sell();
    const { dueTime } = await order(newUserId(), product.id);
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    const user = newUserId();
    await post(user, 'USD', '2026-02-01T23:30:00Z', { [`debt:${user}`]: 5, 'usage:s': -5 });
    await billing.runJobs('write-journal');
    const found = [];
    for (const at of ['2026-02-01', '2026-02-02']) found.push((await receivables(at, 'USD')).rows.length);
    const dayAfter = new Date(dueTime.getTime() + 86_400_000).toISOString().slice(0, 10);
    const { rows } = await receivables(dayAfter, 'EUR');
    billing.settings.timezone = 'UTC';
    expect(found).to.deep.equal([0, 1]);
    expect(rows.map(agesOf)).to.deep.equal([[0, price, 0, 0, 0, 0, price]]);
  });

  it('refuses more than 10,000 customers, and answers for one of their currencies', async () => {
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    const at = new Date('2026-02-01T00:00:00Z');
    const entries = Array.from({ length: 10_001 }, (_, index): JournalEntry => {
      const id = newUserId();
      return {
        id,
        kind: 'credits',
        at,
        userId: id,
        currency: index === 0 ? 'USD' : 'EUR',
        documentId: id,
        text: '',
        lines: [
          { account: `debt:${id}`, amountMinor: 1 },
          { account: 'written_off', amountMinor: -1 },
        ],
      };
    });
    await billing.context.journal.insert(entries);
    expect(await reasonOf(receivables(''))).to.equal('REPORT_TOO_LARGE');
    const { rows, totals } = await receivables('', 'EUR');
    expect([rows.length, totals.map(({ debt }) => minor(debt))]).to.deep.equal([10_000, [10_000]]);
  });

  it('refuses odd days, days to come and customers', async () => {
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    for (const at of ['2026-02-30', '2026-2-1', 'today', '2026-03-11'])
      expect(await fieldsOf(receivables(at)), at).to.deep.equal(['at']);
    const own = billing.as(newUserId());
    const request = { at: '', currency: '', userId: '' };
    expect(await reasonOf(billing.reports.getReceivables(request, own))).to.equal('PERMISSION_MISSING');
    const span = { fromMonth: '', toMonth: '' };
    expect(await reasonOf(billing.reports.getPaymentsByGateway(span, own))).to.equal('PERMISSION_MISSING');
    const turned = billing.reports.getPaymentsByGateway({ fromMonth: '2026-05', toMonth: '2026-01' }, staff());
    expect(await fieldsOf(turned)).to.deep.equal(['from_month']);
  });

  it('sums what gateways received, gave back and lost to disputes by month and currency', async () => {
    billing.setTime(new Date('2026-01-31T12:00:00Z'));
    const product = await billing.sell();
    const user = newUserId();
    const { id } = await order(user, product.id);
    await pay(id);
    await billing.runUntilIdle();
    billing.setTime(new Date('2026-03-01T12:00:00Z'));
    const cash = async (gateway: string, currency: string, at: string, amount: number, kind: JournalKind) =>
      post(user, currency, at, { [`cash:${gateway}`]: amount, 'receivable:x': -amount }, kind);
    await cash('stripe', 'EUR', '2026-01-05T00:00:00Z', 1_000, 'payment');
    await cash('stripe', 'EUR', '2026-01-31T23:59:59Z', 500, 'payment');
    await cash('stripe', 'EUR', '2026-02-01T00:00:00Z', -300, 'refund');
    await cash('stripe', 'EUR', '2026-02-02T00:00:00Z', -1_000, 'dispute');
    await cash('stripe', 'JPY', '2026-02-02T00:00:00Z', 70, 'payment');
    await cash('stripe', 'EUR', '2026-03-01T00:00:00Z', 9, 'payment');
    const span = { fromMonth: '2026-01', toMonth: '2026-02' };
    const { rows } = await billing.reports.getPaymentsByGateway(span, staff());
    expect(
      rows.map(({ month, gateway, received, refunded, disputed, net, movements }) => [
        month,
        gateway,
        net?.currency,
        ...[received, refunded, disputed, net].map(minor),
        movements,
      ]),
    ).to.deep.equal([
      ['2026-01', 'manual', 'EUR', price, 0, 0, price, 1],
      ['2026-01', 'stripe', 'EUR', 1_500, 0, 0, 1_500, 2],
      ['2026-02', 'stripe', 'EUR', 0, 300, 1_000, -1_300, 2],
      ['2026-02', 'stripe', 'JPY', 70, 0, 0, 70, 1],
    ]);
  });
});
