import { expect } from 'chai';
import { describeInvoice } from '../../src/documents/invoice-text.js';
import { qrCodeOf } from '../../src/documents/qr-code.js';
import { renderInvoiceHtml } from '../../src/documents/render-html.js';
import type { InvoiceSeller } from '../../src/domain/profile.js';
import { invoiceView, maliciousNames, transfer } from './invoice.js';

const plain = (html: string): string => html.replaceAll('\u00a0', ' ');

describe('an invoice as HTML', () => {
  it('shows its number, parties, lines, amounts and payments', () => {
    const html = plain(renderInvoiceHtml(invoiceView()));
    for (const text of [
      'Invoice INV-000042',
      'Panel Hosting',
      'VAT DE123456789',
      'Analytical Engines',
      'VAT GB999999973',
    ]) {
      expect(html).to.include(text);
    }
    for (const text of ['Minecraft 4 GB', '11.00', '-2.00', '19% 3.80', 'EUR 23.80', 'pi_123', '2026-03-08']) {
      expect(html).to.include(text);
    }
  });

  it('says how to pay an unpaid invoice, with a code for banking apps', () => {
    const html = plain(renderInvoiceHtml(invoiceView({ status: 'unpaid', payments: [], transfer })));
    for (const text of [
      'Please transfer EUR 23.80 until 2026-03-08.',
      'Account holder: Panel Hosting',
      'IBAN: DE02 1203 0000 0000 2020 51',
      'BIC: BYLADEM1001',
      'Reference: INV-000042',
      'Thank you.',
    ])
      expect(html).to.include(text);
    const { dark, size } = qrCodeOf('BCD');
    expect(html.match(/h1v1h-1z/g)).to.have.length(dark.length);
    expect(html).to.include(`viewBox="0 0 ${size + 8} ${size + 8}"`);
    const withoutCode = invoiceView({ transfer: { ...transfer, code: null } });
    expect(renderInvoiceHtml(withoutCode)).to.include('Reference: INV-000042').and.not.include('<svg');
    expect(renderInvoiceHtml(invoiceView())).not.to.include('Please transfer');
  });

  it('keeps names that look like markup as text', () => {
    for (const name of maliciousNames) {
      const line = {
        description: name,
        setupFee: 0,
        quantity: 1,
        unitPrice: 1,
        discount: 0,
        taxRate: 0,
        tax: 0,
        total: 1,
        period: null,
      };
      const customer = { name, email: name, company: name, address: name, country: name, vatNumber: name };
      const seller = { name, address: name, vatNumber: name };
      const payments = [{ method: name, reference: name, amount: 1, at: new Date(0) }];
      const malicious = invoiceView({
        number: name,
        customer,
        seller,
        payments,
        lines: [line],
        creditedInvoiceNumber: name,
      });
      const tags = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/[\s>].*/s, '')) ?? [];
      const harmless = renderInvoiceHtml(
        invoiceView({
          ...malicious,
          number: 'N',
          customer: { name: 'N', email: 'N', company: 'N', address: 'N', country: 'N', vatNumber: 'N' },
          seller: { name: 'N', address: 'N', vatNumber: 'N' },
          payments: [{ method: 'N', reference: 'N', amount: 1, at: new Date(0) }],
          lines: [{ ...line, description: 'N' }],
          creditedInvoiceNumber: 'N',
        }),
      );
      expect(tags(renderInvoiceHtml(malicious))).to.deep.equal(tags(harmless));
    }
  });

  it('loads nothing and runs nothing', () => {
    const html = renderInvoiceHtml(invoiceView());
    expect(html).to.include("default-src 'none'");
    expect(html).not.to.match(/<(script|img|link|iframe|object)|url\(|@import|https?:|\son\w+=/i);
  });

  it('prints on A4 with the head of the table on every page', () => {
    const html = renderInvoiceHtml(invoiceView());
    expect(html)
      .to.match(/@page \{ size: A4/)
      .and.match(/@media print .*table-header-group/);
  });

  it('names the invoice a credit note corrects', () => {
    const html = renderInvoiceHtml(invoiceView({ number: 'CN-1', creditedInvoiceNumber: 'INV-000042', total: -2380 }));
    expect(plain(html)).to.include('Credit note CN-1').and.include('Corrects invoice').and.include('-EUR 23.80');
  });

  it('names a cancellation as one', () => {
    const html = renderInvoiceHtml(
      invoiceView({ number: 'CN-2', creditedInvoiceNumber: 'INV-000042', status: 'void' }),
    );
    expect(plain(html)).to.include('Cancellation CN-2').and.include('Corrects invoice');
  });

  it('shows net, tax and gross by rate', () => {
    const html = plain(renderInvoiceHtml(invoiceView()));
    expect(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).to.include(
      'Tax rate Net Tax Gross 19% 20.00 3.80 23.80',
    );
  });

  it('says that prices hold the tax where they do', () => {
    const foot = (taxInclusive: boolean) =>
      renderInvoiceHtml(invoiceView({ taxInclusive })).match(/<tfoot>.*<\/tfoot>/s)?.[0];
    expect(foot(true)).to.include('Included tax 19%');
    expect(foot(false)).to.include('Tax 19%').and.not.include('Included');
  });

  it('shows no tax of a seller who charges none', () => {
    const html = renderInvoiceHtml(invoiceView({ taxes: [], treatment: 'none' }));
    expect(html).not.to.include('Tax rate').and.not.to.include('Tax 19%');
  });

  for (const [treatment, note] of [
    ['reverse_charge', 'Reverse charge: the recipient owes the VAT (Article 196 of Directive 2006/112/EC).'],
    ['outside_scope', 'Outside the scope of EU VAT: the service is supplied outside of the European Union.'],
    ['exempt', 'Exempt from tax: embassy &lt;1&gt;'],
  ] as const) {
    it(`says why there is no tax: ${treatment}`, () => {
      expect(renderInvoiceHtml(invoiceView({ treatment, taxReason: 'embassy <1>' }))).to.include(note);
    });
  }

  it('names postcode and city of the seller once, and a tax number where there is no VAT number', () => {
    const sellerOf = (change: Partial<InvoiceSeller>) => {
      const seller = {
        name: 'N',
        address: 'Ring 3',
        vatNumber: '',
        postcode: '10115',
        city: 'Berlin',
        taxNumber: '21/8',
        ...change,
      };
      return describeInvoice(invoiceView({ seller })).seller;
    };
    expect(sellerOf({})).to.deep.equal(['N', 'Ring 3', '10115 Berlin', 'Tax number 21/8']);
    expect(sellerOf({ address: 'Ring 3, 10115 Berlin' })).to.deep.equal([
      'N',
      'Ring 3, 10115 Berlin',
      'Tax number 21/8',
    ]);
    expect(sellerOf({ vatNumber: 'DE136695976' })).to.deep.equal(['N', 'Ring 3', '10115 Berlin', 'VAT DE136695976']);
  });

  it('names all VAT numbers of the seller', () => {
    const seller = { name: 'N', address: '', vatNumber: 'DE136695976', otherVatNumbers: 'FR40303265045, ATU13585627' };
    const html = renderInvoiceHtml(invoiceView({ seller }));
    expect(html).to.include('VAT DE136695976').and.include('VAT FR40303265045, ATU13585627');
  });

  it('shows the period of each line, its last day included, in the zone of the seller', () => {
    const line = invoiceView().lines[0] ?? expect.fail('no line');
    const span = { start: new Date('2026-02-28T23:00:00Z'), end: new Date('2026-03-31T22:00:00Z') };
    const lines = [span, { interval: 'month' as const, count: 3 }, { interval: 'year' as const, count: 1 }, null].map(
      (period) => ({ ...line, period }),
    );
    const html = renderInvoiceHtml(invoiceView({ lines, timezone: 'Europe/Berlin' }));
    expect(html.match(/Service period: [^<]*/g)).to.deep.equal([
      'Service period: 2026-03-01 to 2026-03-31',
      'Service period: 3 months from payment',
      'Service period: 1 year from payment',
    ]);
  });

  it('writes all days in the zone of the seller', () => {
    const late = new Date('2026-03-01T23:30:00Z');
    const payments = [{ method: 'stripe', reference: 'pi', amount: 1, at: late }];
    const change = { issuedAt: late, dueAt: late, payments };
    const days = (timezone: string) => renderInvoiceHtml(invoiceView({ ...change, timezone })).match(/2026-\d\d-\d\d/g);
    expect(days('UTC')).to.deep.equal(['2026-03-01', '2026-03-01', '2026-03-01']);
    expect(days('Europe/Berlin')).to.deep.equal(['2026-03-02', '2026-03-02', '2026-03-02']);
  });

  it('writes amounts by the rules of the language, with the digits of the currency', () => {
    expect(plain(renderInvoiceHtml(invoiceView({ total: 123_456, language: 'de' })))).to.include('1.234,56 EUR');
    expect(plain(renderInvoiceHtml(invoiceView({ total: 123_456, currency: 'JPY' })))).to.include('JPY 123,456');
    expect(plain(renderInvoiceHtml(invoiceView({ total: 123_456, currency: 'KWD' })))).to.include('KWD 123.456');
  });
});
