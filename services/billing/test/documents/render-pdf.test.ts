import { expect } from 'chai';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { loadFonts } from '../../src/documents/fonts.js';
import type { InvoiceView } from '../../src/documents/invoice-view.js';
import { visualRuns } from '../../src/documents/text-runs.js';
import { renderInvoicePdf } from '../../src/documents/render-pdf.js';
import { invoiceView, maliciousNames, transfer } from './invoice.js';

const fonts = loadFonts();

interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
}

interface ReadPdf {
  readonly pages: readonly (readonly PlacedText[])[];
  readonly text: string;
  readonly title: unknown;
  readonly hasJavaScript: boolean;
}

/** Each text with its position. */
async function readPdf(file: Buffer): Promise<ReadPdf> {
  const document = await getDocument({ data: new Uint8Array(file), verbosity: 0 }).promise;
  const pages: PlacedText[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    pages.push(
      items.flatMap((item) => {
        if (!('str' in item)) return [];
        const [x, y] = [Number(item.transform[4]), Number(item.transform[5])];
        return [{ text: item.str, x, right: x + item.width, y }];
      }),
    );
  }
  const { info } = await document.getMetadata();
  const actions = await document.getJSActions();
  await document.loadingTask.destroy();
  const text = pages
    .map((page) => page.map((piece) => piece.text).join(''))
    .join('\n')
    .replaceAll('\u00a0', ' ');
  return { pages, text, title: (info as { Title?: unknown }).Title, hasJavaScript: actions !== null };
}

describe('an invoice as PDF', function () {
  this.timeout(180_000);

  it('prints number, parties, lines, amounts and payments of an invoice so that they can be read back', async () => {
    const { text, title } = await readPdf(await renderInvoicePdf(invoiceView(), fonts));
    expect(title).to.equal('Invoice INV-000042');
    for (const part of ['Panel Hosting', 'VAT DE123456789', 'Analytical Engines', 'Minecraft 4 GB', '19% 3.80']) {
      expect(text).to.include(part);
    }
    for (const part of ['EUR 23.80', 'pi_123', 'Page 1 of 1']) expect(text).to.include(part);
  });

  it('prints how to pay an unpaid invoice, on the next page where this one has no room for the code', async () => {
    const { text, pages } = await readPdf(await renderInvoicePdf(invoiceView({ status: 'unpaid', transfer }), fonts));
    expect(pages).to.have.length(1);
    for (const part of ['Please transfer EUR 23.80', 'IBAN: DE02 1203 0000 0000 2020 51', 'Reference: INV-000042'])
      expect(text).to.include(part);
    const [line] = invoiceView().lines;
    if (!line) throw new Error('no line');
    const pagesOf = async (changes: Partial<InvoiceView>) => {
      const view = invoiceView({ lines: Array.from({ length: 24 }, () => line), payments: [], ...changes });
      return (await readPdf(await renderInvoicePdf(view, fonts))).pages.length;
    };
    expect(await pagesOf({})).to.equal(1);
    expect(await pagesOf({ transfer })).to.equal(2);
  });

  it('prints tax by rate, the period of a line, the note about tax and the days of the zone', async () => {
    const [line] = invoiceView().lines;
    const period = { start: new Date('2026-02-28T23:00:00Z'), end: new Date('2026-03-31T22:00:00Z') };
    const view = invoiceView({
      lines: line ? [{ ...line, period }] : [],
      issuedAt: new Date('2026-03-01T23:30:00Z'),
      timezone: 'Europe/Berlin',
      treatment: 'reverse_charge',
    });
    const { text } = await readPdf(await renderInvoicePdf(view, fonts));
    for (const part of [
      'Tax rate',
      'Gross',
      '20.00',
      'Reverse charge: the recipient owes the VAT',
      'Date: 2026-03-02',
    ]) {
      expect(text).to.include(part);
    }
    expect(text.replace(/\s+/g, ' ')).to.include('Service period: 2026-03-01 to 2026-03-31');
  });

  it('prints the same file for the same invoice', async () => {
    const [first, second] = [
      await renderInvoicePdf(invoiceView(), fonts),
      await renderInvoicePdf(invoiceView(), fonts),
    ];
    expect(first.equals(second)).to.equal(true);
  });

  it('keeps malicious names as text', async () => {
    for (const name of maliciousNames) {
      const customer = { ...invoiceView().customer, name };
      const { text, hasJavaScript } = await readPdf(await renderInvoicePdf(invoiceView({ customer }), fonts));
      expect(text).to.include(name);
      expect(hasJavaScript).to.equal(false);
    }
  });

  it('goes on over many pages, each with the head of the table and its number, and loses no line', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => ({
      description: `Server number ${index + 1} of a rather long order with a name that needs two lines`,
      setupFee: 0,
      quantity: 1,
      unitPrice: 100,
      discount: 0,
      period: null,
      taxRate: 0,
      tax: 0,
      total: 100,
    }));
    const { pages, text } = await readPdf(await renderInvoicePdf(invoiceView({ lines }), fonts));
    expect(pages.length).to.be.above(3);
    for (let index = 1; index <= 120; index += 1) expect(text).to.include(`number ${index} of`);
    for (const [index, page] of pages.entries()) {
      const pageText = page.map((piece) => piece.text).join('');
      expect(pageText).to.include(`Page ${index + 1} of ${pages.length}`);
      expect(pageText).to.include('Description');
    }
  });

  it('keeps everything on the page, an endless word and the largest amounts too', async () => {
    const total = 100_000_000_000;
    const line = {
      description: 'x'.repeat(2000),
      setupFee: 0,
      quantity: 20,
      unitPrice: total,
      discount: total,
      period: null,
      taxRate: 2550,
      tax: total,
      total,
    };
    const customer = { ...invoiceView().customer, address: 'W'.repeat(400) };
    const taxes = [{ basisPoints: 2550, netMinor: total, taxMinor: total, totalMinor: total }];
    const view = invoiceView({ lines: [line], subtotal: total, discount: total, taxes, total, customer });
    const { pages, text } = await readPdf(await renderInvoicePdf(view, fonts));
    expect(text.match(/x/g)?.length).to.be.at.least(2000);
    for (const piece of pages.flat()) {
      expect(piece.x, piece.text).to.be.at.least(50);
      expect(piece.right, piece.text).to.be.at.most(595.28 - 50);
      expect(piece.y, piece.text).to.be.within(20, 842 - 40);
    }
  });

  const names = {
    Polish: 'Zażółć gęślą jaźń',
    Russian: 'Иван Петров',
    Greek: 'Γιώργος Παπαδόπουλος',
    Vietnamese: 'Nguyễn Văn Đức',
    Hindi: 'राम',
  };

  for (const [language, name] of Object.entries(names)) {
    it(`writes ${language}`, async () => {
      const customer = { ...invoiceView().customer, name };
      const { text } = await readPdf(await renderInvoicePdf(invoiceView({ customer }), fonts));
      expect(text).to.include(name);
    });
  }

  it('reads Hebrew from right to left, beside a name in Latin letters', async () => {
    const customer = { ...invoiceView().customer, name: 'שלום עולם', company: 'Ltd שלום' };
    const { text } = await readPdf(await renderInvoicePdf(invoiceView({ customer }), fonts));
    expect(text).to.include('שלום עולם');
  });

  const visualRows = [
    ['שלום עולם', ['עולם', ' ', 'שלום']],
    ['مرحبا بالعالم', ['بالعالم', ' ', 'مرحبا']],
    ['Server שלום עולם v2', ['Server', ' ', 'עולם', ' ', 'שלום', ' ', 'v2']],
    ['שלום 12 GB', ['GB', ' ', '12', ' ', 'שלום']],
    ['plain', ['plain']],
    ['', []],
  ] as const;

  for (const [logical, visual] of visualRows) {
    it(`places the words of «${logical}» in the order they are seen`, () => {
      expect(visualRuns(logical, fonts.regular).map(({ text }) => text)).to.deep.equal(visual);
    });
  }

  it('prints every letter of Arabic and Hebrew', () => {
    for (const name of ['مرحبا بالعالم', 'שלום עולם']) {
      expect(
        visualRuns(name, fonts.bold)
          .map(({ text }) => text)
          .join(''),
      ).not.to.include('?');
    }
  });

  it('shows a question mark for a character that no font has', async () => {
    const customer = { ...invoiceView().customer, name: 'A𓀀𓀁Z' };
    const { text } = await readPdf(await renderInvoicePdf(invoiceView({ customer }), fonts));
    expect(text).to.include('A??Z');
  });

  it('drops marks that would reorder or hide text', async () => {
    const customer = { ...invoiceView().customer, name: 'pay\u202efdp.exe\u202c\u200b!' };
    const { text } = await readPdf(await renderInvoicePdf(invoiceView({ customer }), fonts));
    expect(text).to.include('payfdp.exe!');
  });
});
