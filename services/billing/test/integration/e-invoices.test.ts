import { InvoiceDocument_Format, RefundInvoiceRequest } from '@panel/protos/billing';
import { expect } from 'chai';
import { createInvoiceDocuments } from '../../src/documents/invoice-documents.js';
import type { InvoiceSeller } from '../../src/domain/profile.js';
import type { BillingSettings } from '../../src/domain/settings.js';
import { violatedRules } from '../documents/e-invoice-rules.js';
import { schemaErrors } from '../documents/e-invoice-schema.js';
import { account, leitwegId, seller } from '../documents/issued-invoice.js';
import { newUserId, reasonOf } from '../harness.js';
import { startStripeShop, type StripeShop } from '../stripe-shop.js';

const { PDF, XML } = InvoiceDocument_Format;
const documents = createInvoiceDocuments();

describe('electronic invoices', function () {
  this.timeout(180_000);
  let { billing, buy, pay, invoiceOf, stop } = {} as StripeShop;
  beforeEach(async () => {
    ({ billing, buy, pay, invoiceOf, stop } = await startStripeShop({ documents }));
    set({ seller, bank: account, taxRateBasisPoints: 1900, taxInclusive: true, eInvoice: true });
  });
  afterEach(async () => stop());

  const set = (changes: Partial<BillingSettings>) => Object.assign(billing.settings, changes);
  const render = async (invoiceId: string, format: InvoiceDocument_Format) => {
    const { document } = await billing.invoices.renderInvoice({ invoiceId, format });
    return document ?? expect.fail('no document');
  };
  const xmlOf = async (invoiceId: string) => {
    const { content, fileName } = await render(invoiceId, XML);
    const xml = content.toString();
    expect(violatedRules(xml)).to.deep.equal([]);
    expect(await schemaErrors([xml])).to.deep.equal([]);
    return { xml, fileName };
  };

  it('gives an invoice and its credit note as XML to the owner, and hides it from others', async () => {
    const user = newUserId();
    const { invoiceId, sessionId } = await buy(user, 'stripe');
    const { number } = await invoiceOf(invoiceId);
    const { xml, fileName } = await xmlOf(invoiceId);
    expect(fileName).to.equal(`${number}.xml`);
    expect(xml).to.include('<ram:TypeCode>380<').and.include('<ram:DuePayableAmount>4.99<').and.include(account.iban);
    await pay(sessionId, invoiceId);
    expect((await xmlOf(invoiceId)).xml)
      .to.include('<ram:DuePayableAmount>0.00<')
      .and.include('<ram:TypeCode>68<');
    const request = RefundInvoiceRequest.create({
      invoiceId,
      amount: { amountMinor: 200, currency: 'EUR' },
      reason: 'x',
    });
    const { creditNote } = await billing.invoices.refundInvoice(request);
    expect((await xmlOf(creditNote?.id ?? '')).xml)
      .to.include('<ram:TypeCode>381<')
      .and.include(`<ram:IssuerAssignedID>${number}<`)
      .and.include('<ram:GrandTotalAmount>2.00<');
    const own = billing.invoices.renderInvoice({ invoiceId, format: XML }, billing.as(user));
    expect((await own).document?.content).to.have.length.above(1000);
    const foreign = billing.invoices.renderInvoice({ invoiceId, format: XML }, billing.as(newUserId()));
    expect(await reasonOf(foreign)).to.equal('INVOICE_NOT_FOUND');
  });

  it('writes an XRechnung for a customer whose profile has a Leitweg-ID, as it was when the invoice was issued', async () => {
    const user = newUserId();
    const update = async (buyerReference: string) =>
      billing.profiles.updateProfile(
        { company: 'Amt', address: 'Ring 3\n04109 Leipzig', country: 'DE', buyerReference },
        billing.as(user),
      );
    expect((await update(leitwegId)).customer?.buyerReference).to.equal(leitwegId);
    const { invoiceId } = await buy(user, 'stripe');
    await update('');
    const { xml } = await xmlOf(invoiceId);
    expect(xml).to.include('xrechnung_3.0').and.include(`<ram:BuyerReference>${leitwegId}<`);
    expect((await render(invoiceId, PDF)).content.includes('xrechnung.xml')).to.equal(true);
    const { invoice } = await billing.invoices.getInvoice({ invoiceId }, billing.as(user));
    expect(invoice?.customer?.buyerReference).to.equal(leitwegId);
  });

  it('refuses a reference of two lines or over 100 characters', async () => {
    for (const buyerReference of ['a\nb', 'x'.repeat(101)]) {
      const change = billing.profiles.updateProfile({ buyerReference }, billing.as(newUserId()));
      expect(await reasonOf(change)).to.equal('INVALID_FIELDS');
    }
  });

  it('attaches the XML to PDFs while the setting is on, in mails too', async () => {
    const { invoiceId } = await buy(newUserId(), 'stripe');
    await billing.runUntilIdle();
    const isHybrid = (content: Uint8Array | undefined) => Buffer.from(content ?? []).includes('factur-x.xml');
    expect(isHybrid((await render(invoiceId, PDF)).content)).to.equal(true);
    const [mail] = [...billing.mail.mails.values()].flatMap(({ mail: one }) =>
      one?.$case === 'invoice' ? [one.value] : [],
    );
    expect(isHybrid(mail?.document?.content)).to.equal(true);
    set({ eInvoice: false });
    expect(isHybrid((await render(invoiceId, PDF)).content)).to.equal(false);
  });

  it('refuses XML of what was issued before the seller was complete, and prints it as before', async () => {
    const { city: _city, ...before } = seller;
    set({ seller: before satisfies InvoiceSeller });
    const { invoiceId } = await buy(newUserId(), 'stripe');
    set({ seller });
    expect(await reasonOf(render(invoiceId, XML))).to.equal('E_INVOICE_UNAVAILABLE');
    const { content } = await render(invoiceId, PDF);
    expect(content.includes('factur-x.xml')).to.equal(false);
    expect(content.subarray(0, 5).toString()).to.equal('%PDF-');
  });
});
