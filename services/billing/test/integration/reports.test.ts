import {
  CheckoutRequest,
  ExportJournalRequest_Format,
  GetTaxRequest_Basis,
  Invoice_Status,
  RefundInvoiceRequest_Destination,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { datevSettings } from '../../src/domain/datev-accounts.js';
import { fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';

const price = 499;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the reports for operators', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => billing.stop());

  const staff = () => billing.as(newUserId(), ['billing.view', 'billing.update']);
  const buy = async (user: string, productId: string) => {
    await billing.grant(user, 2 * price);
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
    const { invoice, services } = await billing.orders.checkout(request, billing.as(user));
    await billing.runUntilIdle();
    return { invoiceId: invoice?.id ?? '', number: invoice?.number ?? '', serviceId: services[0]?.id ?? '' };
  };

  it('sums revenue by month and product, without tax, refunds taken off in their own month', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const product = await billing.sell();
    const german = newUserId();
    const profile = { name: 'Ada', company: '', address: '', country: 'DE', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(german));
    await buy(german, product.id);
    const { invoiceId } = await buy(newUserId(), product.id);
    billing.setTime(new Date('2026-02-02T12:00:00Z'));
    const refund = { invoiceId, amount: { amountMinor: 100, currency: 'EUR' }, reason: 'test', cancelServices: false };
    await billing.invoices.refundInvoice(
      { ...refund, destination: RefundInvoiceRequest_Destination.CREDITS },
      billing.as(newUserId(), ['billing.update', 'billing.view'], newUserId()),
    );
    await billing.runUntilIdle();
    const { rows } = await billing.reports.getRevenue({ fromMonth: '2026-01', toMonth: '2026-02' }, staff());
    const sums = rows.map(({ month, productId, revenue }) => [month, productId, revenue?.amountMinor]);
    expect(sums[0]).to.deep.equal(['2026-01', product.id, 2 * price]);
    expect(sums.slice(1).map(([month, , amount]) => [month, amount])).to.deep.equal([['2026-02', -100]]);
  });

  it('sums tax by month, country and rate, by the day of issue or of payment, without bought credits', async () => {
    billing.setTime(new Date('2026-01-30T12:00:00Z'));
    const product = await billing.sell();
    const german = newUserId();
    const profile = { name: 'Ada', company: '', address: '', country: 'DE', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(german));
    const { invoiceId } = await buy(german, product.id);
    await buy(newUserId(), product.id);
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const later = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice: unpaid } = await billing.orders.checkout(later, billing.as(german));
    const { invoice: voided } = await billing.orders.checkout(later, billing.as(german));
    const change = async (id: string, status: Invoice_Status) =>
      billing.invoices.updateInvoiceStatus({ invoiceId: id, status, reference: '' }, staff());
    await change(voided?.id ?? '', Invoice_Status.VOID);
    const credits = { amount: { amountMinor: 1_000, currency: 'EUR' }, paymentMethod: 'manual', returnUrl: '' };
    const { invoice: topUp } = await billing.credits.buyCredits(credits, billing.as(german));
    await change(topUp?.id ?? '', Invoice_Status.PAID);
    billing.setTime(new Date('2026-02-02T12:00:00Z'));
    await change(unpaid?.id ?? '', Invoice_Status.PAID);
    for (const [id, destination] of [
      [invoiceId, RefundInvoiceRequest_Destination.CREDITS],
      [topUp?.id ?? '', RefundInvoiceRequest_Destination.ORIGINAL],
    ] as const) {
      const refund = { invoiceId: id, amount: undefined, reason: 'test', cancelServices: false, destination };
      await billing.invoices.refundInvoice(refund, billing.as(newUserId(), ['billing.update', 'billing.view']));
    }
    await billing.runUntilIdle();
    const sums = async (basis: GetTaxRequest_Basis) => {
      const { rows } = await billing.reports.getTax({ fromMonth: '2026-01', toMonth: '2026-02', basis }, staff());
      return rows.map(({ month, country, rateBasisPoints, net, tax, total, invoices }) =>
        [month, country, rateBasisPoints, net?.amountMinor, tax?.amountMinor, total?.amountMinor, invoices].join(' '),
      );
    };
    expect(await sums(GetTaxRequest_Basis.ISSUED)).to.deep.equal([
      '2026-01  0 499 0 499 1',
      '2026-01 DE 1900 998 190 1188 4',
      '2026-02 DE 1900 -499 -95 -594 1',
    ]);
    expect(await sums(GetTaxRequest_Basis.PAID)).to.deep.equal([
      '2026-01  0 499 0 499 1',
      '2026-01 DE 1900 499 95 594 1',
      '2026-02 DE 1900 0 0 0 2',
    ]);
    const { rows: revenue } = await billing.reports.getRevenue({ fromMonth: '2026-01', toMonth: '2026-02' }, staff());
    expect(
      revenue.every(({ productId }) => productId === product.id),
      'credits are no revenue',
    ).to.equal(true);
  });

  it('recognizes revenue by the day, and defers what is paid for later', async () => {
    billing.setTime(new Date('2026-01-16T00:00:00Z'));
    const product = await billing.sell();
    const user = newUserId();
    const { invoiceId } = await buy(user, product.id);
    await billing.runUntilIdle();
    const months = async () => {
      const { rows } = await billing.reports.getRecognizedRevenue(
        { fromMonth: '2026-01', toMonth: '2026-03' },
        staff(),
      );
      return rows
        .filter(({ productId }) => productId === product.id)
        .map(({ month, recognized, deferred }) => [month, recognized?.amountMinor, deferred?.amountMinor]);
    };
    // 16 of the 31 days from January 16 to February 16.
    expect(await months()).to.deep.equal([
      ['2026-01', 257, 242],
      ['2026-02', 242, 0],
    ]);
    billing.setTime(new Date('2026-02-08T12:00:00Z'));
    const destination = RefundInvoiceRequest_Destination.CREDITS;
    const refund = { invoiceId, amount: { amountMinor: 100, currency: 'EUR' }, reason: 'sorry', cancelServices: false };
    await billing.invoices.refundInvoice(
      { ...refund, destination },
      billing.as(newUserId(), ['billing.update', 'billing.view']),
    );
    await billing.runUntilIdle();
    expect(await months(), 'the past stays').to.deep.equal([
      ['2026-01', 257, 242],
      ['2026-02', 142, 0],
    ]);
  });

  it('exports the journal of a month as a table and as objects, and refuses what is no month', async () => {
    billing.setTime(new Date('2026-05-10T12:00:00Z'));
    const product = await billing.sell();
    const user = newUserId();
    await billing.grant(user, 499);
    const { invoiceId, number } = await buy(user, product.id);
    await billing.runUntilIdle();
    const file = async (format: ExportJournalRequest_Format) => {
      const parts = await all(billing.reports.exportJournal({ month: '2026-05', format }, staff()));
      const name = parts[0]?.part?.$case === 'fileName' ? parts[0].part.value : '';
      const chunks = parts.flatMap(({ part }) => (part?.$case === 'chunk' ? [part.value] : []));
      return { name, text: Buffer.concat(chunks).toString() };
    };
    const { name, text } = await file(ExportJournalRequest_Format.CSV);
    expect(name).to.equal('journal-2026-05.csv');
    const rows = text.split('\r\n').filter((row) => row.includes(user) && row.includes(invoiceId));
    expect(rows.map((row) => row.split(',').slice(0, 1).concat(row.split(',').slice(2)).join(','))).to.include.members([
      `2026-05-10,issue,${number},${user},receivable:${invoiceId},4.99,,EUR`,
      `2026-05-10,issue,${number},${user},sales:${invoiceId},,4.99,EUR`,
    ]);
    expect(text.split('\r\n')[0]).to.equal('date,entry,kind,document,user,account,debit,credit,currency');
    const lines = (await file(ExportJournalRequest_Format.NDJSON)).text.trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { lines: { amount: number }[]; user_id: string });
    const own = entries.filter((entry) => entry.user_id === user);
    expect(own.map((entry) => entry.lines.reduce((sum, { amount }) => sum + amount, 0))).to.deep.equal(
      own.map(() => 0),
    );
    expect(own).to.have.length.at.least(3);
    const wrong = all(
      billing.reports.exportJournal({ month: '2026-13', format: ExportJournalRequest_Format.CSV }, staff()),
    );
    expect(await fieldsOf(wrong)).to.deep.equal(['month']);
  });

  it('exports the journal of a month for DATEV, once the settings have its numbers', async () => {
    billing.setTime(new Date('2026-05-10T12:00:00Z'));
    const product = await billing.sell();
    const { number } = await buy(newUserId(), product.id);
    await billing.runUntilIdle();
    const request = { month: '2026-05', format: ExportJournalRequest_Format.DATEV };
    expect(await fieldsOf(all(billing.reports.exportJournal(request, staff())))).to.deep.equal(['format']);
    billing.settings.datev = datevSettings({
      consultant: 1_001,
      client: 1,
      fiscalMonth: 1,
      accountDigits: 4,
      accounts: 'receivable=1410,sales=8200,tax=1770,credits=1700,promotion=8700',
    });
    const parts = await all(billing.reports.exportJournal(request, staff()));
    billing.settings.datev = null;
    expect(parts[0]?.part).to.deep.equal({ $case: 'fileName', value: 'EXTF_Buchungsstapel_2026-05.csv' });
    const file = Buffer.concat(parts.flatMap(({ part }) => (part?.$case === 'chunk' ? [part.value] : [])));
    const rows = file.toString('latin1').split('\r\n');
    expect(rows.filter((row) => row.includes(number))).to.have.length(1);
    expect(rows.find((row) => row.includes(number))).to.match(/^4,99;"H";"EUR";;;;8200;1410;;1005;/);
    expect(
      rows.filter((row) => row.startsWith('9,98;"S";"EUR";;;;8700;1700;')),
      'what was granted',
    ).to.have.length(1);
  });

  it('exports the documents of a month as a ZIP file, credit notes too', async () => {
    billing.setTime(new Date('2026-06-10T12:00:00Z'));
    const product = await billing.sell();
    const bought = await buy(newUserId(), product.id);
    const destination = RefundInvoiceRequest_Destination.CREDITS;
    const refund = { invoiceId: bought.invoiceId, amount: undefined, reason: '', cancelServices: false, destination };
    const { creditNote } = await billing.invoices.refundInvoice(
      refund,
      billing.as(newUserId(), ['billing.update', 'billing.view']),
    );
    const parts = await all(billing.reports.exportDocuments({ month: '2026-06' }, staff()));
    expect(parts[0]?.part).to.deep.equal({ $case: 'fileName', value: 'documents-2026-06.zip' });
    const zip = Buffer.concat(parts.flatMap(({ part }) => (part?.$case === 'chunk' ? [part.value] : [])));
    const files = unzipSync(zip);
    expect(Object.keys(files)).to.have.members([`${bought.number}.pdf`, `${creditNote?.number}.pdf`]);
    const empty = await all(billing.reports.exportDocuments({ month: '2020-01' }, staff()));
    const nothing = Buffer.concat(empty.flatMap(({ part }) => (part?.$case === 'chunk' ? [part.value] : [])));
    expect(Object.keys(unzipSync(nothing))).to.deep.equal([]);
  });

  it('counts a payment in the month of the seller', async () => {
    billing.settings.timezone = 'Europe/Berlin';
    billing.setTime(new Date('2026-01-31T23:30:00Z'));
    const product = await billing.sell();
    await buy(newUserId(), product.id);
    const { rows } = await billing.reports.getRevenue({ fromMonth: '', toMonth: '' }, staff());
    billing.settings.timezone = 'UTC';
    expect(rows.map(({ month }) => month)).to.deep.equal(['2026-02']);
  });

  it('counts what active services bring per month, and how many of those at its start have ended', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const product = await billing.sell();
    const users = Array.from({ length: 4 }, newUserId);
    const bought = [];
    for (const user of users) bought.push(await buy(user, product.id));
    billing.setTime(new Date('2026-02-03T12:00:00Z'));
    const cancel = { serviceId: bought[0]?.serviceId ?? '', immediately: true, reason: '' };
    await billing.services.cancelService(cancel, billing.as(users[0] ?? ''));
    await billing.runUntilIdle();
    const span = { fromMonth: '2026-01', toMonth: '2026-02' };
    const { rows } = await billing.reports.getRecurringRevenue(span, staff());
    expect(
      rows.map(({ month, recurringRevenue, activeServices, newServices, endedServices, churnBasisPoints }) => [
        month,
        recurringRevenue?.amountMinor,
        activeServices,
        newServices,
        endedServices,
        churnBasisPoints,
      ]),
    ).to.deep.equal([
      ['2026-01', 4 * price, 4, 4, 0, 0],
      ['2026-02', 3 * price, 3, 0, 1, 2_500],
    ]);
  });

  it('refuses odd months and customers', async () => {
    const odd = billing.reports.getRevenue({ fromMonth: '2026-13', toMonth: '' }, staff());
    expect(await fieldsOf(odd)).to.deep.equal(['from_month']);
    const turned = billing.reports.getRevenue({ fromMonth: '2026-05', toMonth: '2026-01' }, staff());
    expect(await fieldsOf(turned)).to.deep.equal(['from_month']);
    const customer = billing.reports.getRevenue({ fromMonth: '', toMonth: '' }, billing.as(newUserId()));
    expect(await reasonOf(customer)).to.equal('PERMISSION_MISSING');
  });
});
