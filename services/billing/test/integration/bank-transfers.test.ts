import {
  CheckoutRequest,
  ImportBankStatementRequest,
  ImportBankStatementRequest_Format,
  InvoiceDocument_Format,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { camtEntry, camtOf } from '../bank/camt.js';
import { euroMessage, fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';

const { CAMT, CSV } = ImportBankStatementRequest_Format;
const bank = { holder: 'Shop', iban: 'DE02120300000000202051', bic: 'BYLADEM1001', instructions: '' };

describe('payments by bank transfer', function () {
  this.timeout(120_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
    billing.settings.bank = bank;
  });
  afterEach(async () => {
    try {
      await billing.runUntilIdle();
      await billing.checkInvariants();
    } finally {
      await billing.stop();
    }
  });

  const buy = async (user: string) => {
    const { id: productId } = await billing.sell();
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice } = await billing.orders.checkout(request, billing.as(user));
    return { invoiceId: invoice?.id ?? '', number: invoice?.number ?? '' };
  };
  const staff = () => billing.as(newUserId(), ['billing.view', 'billing.update']);
  const importing = async (entries: readonly string[], changes: Partial<ImportBankStatementRequest> = {}) => {
    const request = ImportBankStatementRequest.create({ format: CAMT, content: camtOf(entries), ...changes });
    const imported = await billing.invoices.importBankStatement(request, staff());
    return imported.entries.map(({ result }) => result.replace('RESULT_', '').toLowerCase());
  };
  const invoiceOf = async (id: string) => billing.context.invoices.get(id);
  const statusOf = async (id: string) => (await invoiceOf(id))?.status;

  it('says where the money goes, what to name and until when, with a code for banking apps', async () => {
    const user = newUserId();
    const { invoiceId, number } = await buy(user);
    const { qrCode, dueTime, ...rest } = await billing.invoices.getBankTransfer({ invoiceId }, billing.as(user));
    expect(rest).to.deep.equal({
      accountHolder: 'Shop',
      iban: bank.iban,
      bic: bank.bic,
      instructions: '',
      amount: euroMessage(499),
      reference: number,
    });
    expect(dueTime).to.deep.equal((await invoiceOf(invoiceId))?.dueAt);
    expect(qrCode).to.match(/^data:image\/svg\+xml;base64,/);
    const format = InvoiceDocument_Format.HTML;
    const { document } = await billing.invoices.renderInvoice({ invoiceId, format }, billing.as(user));
    expect(Buffer.from(document?.content ?? []).toString())
      .to.include(`Verwendungszweck: ${number}`)
      .and.include('<svg');
    const ofAnother = billing.invoices.getBankTransfer({ invoiceId }, billing.as(newUserId()));
    expect(await reasonOf(ofAnother)).to.equal('INVOICE_NOT_FOUND');
    billing.settings.bank = null;
    const transfer = async () => billing.invoices.getBankTransfer({ invoiceId }, billing.as(user));
    expect(await reasonOf(transfer())).to.equal('BANK_TRANSFER_NOT_SET_UP');
    await importing([camtEntry({ amount: '4.99', text: number })]);
    expect(await reasonOf(transfer())).to.equal('INVOICE_NOT_PAYABLE');
  });

  it('pays the invoice that a statement names, once for 50 imports at once and in another file', async () => {
    const user = newUserId();
    const { invoiceId, number } = await buy(user);
    const entry = camtEntry({ amount: '4.99', text: `Rechnung ${number}`, reference: 'A1' });
    expect(await importing([entry], { dryRun: true })).to.deep.equal(['booked']);
    expect(await statusOf(invoiceId)).to.equal('unpaid');
    await Promise.all(Array.from({ length: 50 }, async () => importing([entry])));
    expect(await statusOf(invoiceId)).to.equal('paid');
    expect((await invoiceOf(invoiceId))?.payments).to.have.length(1);
    expect(await importing([entry])).to.deep.equal(['known']);
    const content = `Date,Description,Amount\n2026-01-31,${number},4.99\n`;
    expect(await importing([], { format: CSV, content })).to.deep.equal(['known']);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(0);
    await billing.runUntilIdle();
    expect(billing.servers.servers.size).to.equal(1);
    const events = [...billing.activity.events.values()].filter(({ event }) => event === 'billing:statement.import');
    expect(events.map(({ properties }) => properties)).to.deep.include({ count: '1', booked: '1' });
  });

  it('books a part, the rest, and what is too much', async () => {
    const user = newUserId();
    const { invoiceId, number } = await buy(user);
    const pay = (amount: string, date: string) => [camtEntry({ amount, text: number, date })];
    expect(await importing(pay('2.00', '2026-01-29'))).to.deep.equal(['partly_paid']);
    expect(await importing(pay('3.49', '2026-01-30'))).to.deep.equal(['booked']);
    expect(await statusOf(invoiceId)).to.equal('paid');
    expect(await importing(pay('1.00', '2026-01-31'))).to.deep.equal(['credited']);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(150);
  });

  it('pays several invoices with their sum, and leaves another sum to staff', async () => {
    const user = newUserId();
    const [first, second] = [await buy(user), await buy(user)];
    const text = `${first.number}, ${second.number}`;
    expect(await importing([camtEntry({ amount: '9.00', text })])).to.deep.equal(['ambiguous']);
    expect(await importing([camtEntry({ amount: '9.98', text, reference: 'B' })])).to.deep.equal(['booked']);
    expect(await importing([camtEntry({ amount: '9.98', text, reference: 'B' })])).to.deep.equal(['known']);
    expect([await statusOf(first.invoiceId), await statusOf(second.invoiceId)]).to.deep.equal(['paid', 'paid']);
  });

  it('leaves to staff a payment that names a paid invoice beside one of its amount', async () => {
    const user = newUserId();
    const [paid, open] = [await buy(user), await buy(user)];
    await importing([camtEntry({ amount: '4.99', text: paid.number })]);
    const text = `${paid.number}, ${open.number}`;
    expect(await importing([camtEntry({ amount: '4.99', text, reference: 'B', date: '2026-01-30' })])).to.deep.equal([
      'ambiguous',
    ]);
    expect([await statusOf(paid.invoiceId), await statusOf(open.invoiceId)]).to.deep.equal(['paid', 'unpaid']);
  });

  it('books nothing that names no invoice or is in another currency', async () => {
    const { invoiceId, number } = await buy(newUserId());
    expect(await importing([camtEntry({ amount: '4.99', text: 'thanks INV-999999' })])).to.deep.equal(['no_invoice']);
    const content = `Date,Description,Amount,Currency\n2026-01-31,${number},4.99,USD\n`;
    expect(await importing([], { format: CSV, content })).to.deep.equal(['other_currency']);
    expect(await statusOf(invoiceId)).to.equal('unpaid');
  });

  it('takes a readable file of bounded size, from staff only', async () => {
    const request = ImportBankStatementRequest.create({ format: CAMT, content: camtOf([]) });
    const call = billing.invoices.importBankStatement(request, billing.as(newUserId()));
    expect(await reasonOf(call)).to.equal('PERMISSION_MISSING');
    expect(await fieldsOf(importing([], { content: 'x' }))).to.deep.equal(['content']);
    expect(await fieldsOf(importing([], { format: ImportBankStatementRequest_Format.UNSPECIFIED }))).to.deep.equal([
      'format',
    ]);
    expect(await fieldsOf(importing([], { content: ' '.repeat(768 * 1024 + 1) }))).to.deep.equal(['content']);
    expect(await fieldsOf(importing([], { format: CSV, content: 'a;b\n1;2\n' }))).to.deep.equal(['columns']);
  });
});
