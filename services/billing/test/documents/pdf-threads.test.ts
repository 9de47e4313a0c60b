import { eventLoopShare } from '@panel/kit/testing';
import { expect } from 'chai';
import { loadFonts } from '../../src/documents/fonts.js';
import { PdfThreads } from '../../src/documents/pdf-threads.js';
import { renderInvoicePdf } from '../../src/documents/render-pdf.js';
import { invoiceView } from './invoice.js';

describe('invoices as PDF in a thread', function () {
  this.timeout(60_000);
  const threads = new PdfThreads();
  const plain = { view: invoiceView(), eInvoice: null };

  it('gives the bytes that are rendered here, for many customers at once', async () => {
    const view = invoiceView();
    const wanted = await renderInvoicePdf(view, loadFonts());
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => threads.render({ view, eInvoice: null }, `user ${index}`)),
    );
    for (const content of all) expect(content.equals(wanted)).to.equal(true);
  });

  it('serves the one document of a customer before the rest of another', async () => {
    const order: string[] = [];
    const render = async (name: string) => {
      await threads.render(plain, name);
      order.push(name);
    };
    await Promise.all([...Array.from({ length: 5 }, async () => render('many')), render('one')]);
    expect(order.indexOf('one')).to.be.at.most(2);
  });

  it('fails for what cannot be rendered, and renders the next one', async () => {
    const broken = invoiceView({ currency: 'no currency' });
    expect(
      await threads.render({ view: broken, eInvoice: null }, 'user').catch((error: unknown) => String(error)),
    ).to.match(/currency/i);
    expect((await threads.render(plain, 'user')).subarray(0, 5).toString()).to.equal('%PDF-');
  });

  it('leaves the event loop to others', async () => {
    const share = await eventLoopShare(async () => {
      for (let index = 0; index < 10; index += 1) await threads.render(plain, 'user');
    });
    expect(share).to.be.below(0.3);
  });
});
