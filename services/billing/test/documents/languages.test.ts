import { expect } from 'chai';
import { type DocumentLanguage, documentLanguageOf } from '../../src/domain/language.js';
import { loadFonts } from '../../src/documents/fonts.js';
import { describeInvoice } from '../../src/documents/invoice-text.js';
import type { InvoiceView } from '../../src/documents/invoice-view.js';
import { documentTexts } from '../../src/documents/languages.js';
import { renderInvoiceHtml } from '../../src/documents/render-html.js';
import { renderInvoicePdf } from '../../src/documents/render-pdf.js';
import { directionOf, visualRuns } from '../../src/documents/text-runs.js';
import { invoiceView, transfer } from './invoice.js';
import { placedTexts } from './pdf-text.js';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ').replace(/[\u2068\u2069]/g, '');

const unpaid = (change: Partial<InvoiceView> = {}): InvoiceView =>
  invoiceView({ status: 'unpaid', transfer, treatment: 'reverse_charge', ...change });

describe('documents in the language of the customer', function () {
  this.timeout(60_000);

  for (const [tag, language] of [
    ['de', 'de'],
    ['de-AT', 'de'],
    ['AR-sa', 'ar'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['', 'en'],
  ] as const) {
    it(`writes to a customer of «${tag}» in ${language}`, () => {
      expect(documentLanguageOf(tag)).to.equal(language);
    });
  }

  it('leaves no text of another language in one', () => {
    const words = (language: DocumentLanguage) => {
      const { methods, statuses, ...texts } = documentTexts[language];
      const { stripe: _stripe, paypal: _paypal, mollie: _mollie, ...names } = methods;
      return [...Object.values(texts), ...Object.values(names), ...Object.values(statuses)].map((text) =>
        typeof text === 'function' ? (text as (...values: string[]) => string)('1', '2') : text,
      );
    };
    // The same in both languages.
    const shared = ['Status', 'IBAN: 1', 'BIC: 1'];
    for (const [one, other] of [
      ['en', 'de'],
      ['en', 'ar'],
      ['de', 'ar'],
    ] as const) {
      const common = words(one).filter((text) => words(other).includes(text) && !shared.includes(text));
      expect(common, `${one} ${other}`).to.deep.equal([]);
    }
  });

  it('writes everything in German, with its numbers', () => {
    const view = unpaid({ language: 'de', taxInclusive: true });
    const html = plain(renderInvoiceHtml(view));
    expect(html).to.include('<html lang="de" dir="ltr">');
    for (const text of [
      'Rechnung INV-000042',
      'USt-IdNr. DE123456789',
      '-2,00',
      '19 % 3,80',
      '23,80 EUR',
      'Enthaltene Steuer 19 %',
      'Zwischensumme',
      'offen',
      'Bitte überweise 23,80 EUR bis zum 2026-03-08.',
      'Steuerschuldnerschaft des Leistungsempfängers',
      'Steuersatz',
    ]) {
      expect(html).to.include(text);
    }
    expect(html).not.to.match(/Invoice|Subtotal|Description|Payments|Tax\b|unpaid/);
  });

  it('names a payment by its method, and one that it does not know as it is', () => {
    const at = new Date('2026-03-02T09:00:00Z');
    const payments = ['credits', 'manual', 'constructor', 'mollie', 'unknown'].map((method) => ({
      method,
      reference: 'r',
      amount: 1,
      at,
    }));
    expect(describeInvoice(invoiceView({ language: 'de', payments })).payments.map(plain)).to.deep.equal(
      ['Guthaben', 'Überweisung', 'constructor', 'Mollie', 'unknown'].map((name) => `2026-03-02  ${name}  r  0,01 EUR`),
    );
  });

  it('names length and setup fee in the words of the language', () => {
    const [first = expect.fail('no line')] = invoiceView().lines;
    const line = { ...first, setupFee: 500, period: { interval: 'month' as const, count: 3 } };
    const cell = (language: InvoiceView['language']) =>
      plain(describeInvoice(invoiceView({ language, lines: [line] })).rows[0]?.[0] ?? '');
    expect(cell('en')).to.equal('Minecraft 4 GB (with setup fee 5.00)\nService period: 3 months from payment');
    expect(cell('de')).to.equal('Minecraft 4 GB (mit Einrichtungsgebühr 5,00)\nLeistungszeitraum: 3 Monate ab Zahlung');
    expect(cell('ar')).to.equal('Minecraft 4 GB (مع رسوم إعداد 5.00)\nفترة الخدمة: 3 أشهر من تاريخ الدفع');
  });

  it('writes Arabic from right to left, and keeps the order of days, amounts and numbers', () => {
    const html = renderInvoiceHtml(unpaid({ language: 'ar' }));
    expect(html)
      .to.include('<html lang="ar" dir="rtl">')
      .and.include('text-align: end')
      .and.not.include('align: right');
    expect(html).to.include('يُرجى تحويل \u206823.80\u00a0EUR\u2069 حتى \u20682026-03-08\u2069.');
  });

  it('lets no value of a customer leave its isolate', () => {
    const payments = [{ method: 'm', reference: 'a\u2069\u202eb', amount: 1, at: new Date(0) }];
    expect(describeInvoice(unpaid({ language: 'ar', payments })).payments[0]).to.include('\u2068ab\u2069');
  });

  it('places the words of an Arabic line as they are seen, its day unbroken', () => {
    const fonts = loadFonts().regular;
    const line = 'من \u20682026-03-01\u2069 إلى \u2068EUR 23.80\u2069';
    const seen = visualRuns(line, fonts).map(({ text }) => text);
    expect(seen).to.deep.equal(['EUR', ' ', '23.80', ' ', 'إلى', ' ', '2026-03-01', ' ', 'من']);
  });

  it('takes the direction of a line from its paragraph', () => {
    expect(directionOf('متلقي (Article 196)')).to.equal('rtl');
    expect(directionOf('\u2068رصيد\u2069 Stripe')).to.equal('ltr');
    expect(directionOf('23.80')).to.equal('ltr');
    const fonts = loadFonts().regular;
    const seen = visualRuns('(Article 196).', fonts, 'rtl').map(({ text }) => text);
    expect(seen[0]).to.equal('.(');
  });

  it('mirrors the page of an Arabic PDF', async () => {
    const fonts = loadFonts();
    const [english, arabic] = [
      await placedTexts(await renderInvoicePdf(unpaid({ language: 'en' }), fonts)),
      await placedTexts(await renderInvoicePdf(unpaid({ language: 'ar' }), fonts)),
    ];
    const of = (texts: Awaited<ReturnType<typeof placedTexts>>, wanted: string) =>
      texts.find(({ text }) => text.includes(wanted)) ?? expect.fail(wanted);
    // A4 with a margin of 51 points.
    expect(of(english, 'Lovelace').x).to.be.above(297);
    expect(of(arabic, 'Lovelace').right).to.be.below(297);
    expect(of(english, 'INV-000042').right).to.be.below(297);
    expect(of(arabic, 'INV-000042').x).to.be.above(297);
    for (const { text, x, right } of arabic) {
      expect(x, text).to.be.at.least(50);
      // Readers measure joined letters wider than they are.
      expect(right, text).to.be.at.most(595.28 - 35);
    }
  });
});
