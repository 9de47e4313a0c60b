import { expect } from 'chai';
import fc from 'fast-check';
import { eInvoiceXml } from '../../src/documents/e-invoice-xml.js';
import { creditNoteOf } from '../../src/domain/credit-note.js';
import { eInvoiceOf } from '../../src/domain/e-invoice.js';
import type { InvoiceRecord, InvoiceRefund } from '../../src/domain/invoice.js';
import type { TaxTreatment } from '../../src/domain/tax.js';
import { violatedRules } from './e-invoice-rules.js';
import { schemaErrors } from './e-invoice-schema.js';
import { account, at, issued, leitwegId, type Sale, seller, type SoldLine } from './issued-invoice.js';

const parse = (invoice: InvoiceRecord, creditedInvoiceNumber = '') => {
  const found = eInvoiceOf(invoice, { creditedInvoiceNumber, account });
  return found ?? expect.fail('no electronic invoice');
};
const xmlOf = (invoice: InvoiceRecord, credited = '') => eInvoiceXml(parse(invoice, credited), 'de');

const refundOf = (amountMinor: number): InvoiceRefund => ({
  id: 'r',
  amountMinor,
  destination: 'original',
  reason: '',
  cancelSubscriptions: false,
  state: 'done',
  creditNoteId: 'n',
  error: '',
  origin: 'operator',
  reference: '',
  at,
});

function noteOf(invoice: InvoiceRecord, amountMinor: number): InvoiceRecord {
  const refund = refundOf(amountMinor);
  return { ...creditNoteOf({ ...invoice, refunds: [refund] }, refund), number: 'INV-CN-000001', sequence: 1 };
}

function paid(invoice: InvoiceRecord, amountMinor: number, method = 'stripe'): InvoiceRecord {
  const isPaid = amountMinor >= invoice.totalMinor;
  const payments = [{ id: 'p', method, amountMinor, reference: 'pi', at }];
  return { ...invoice, payments, status: isPaid ? 'paid' : 'unpaid', paidAt: isPaid ? at : null };
}

const one: readonly SoldLine[] = [{ unit: 1000, days: 30 }];
const several: readonly SoldLine[] = [
  { unit: 333, quantity: 3, setupFee: 499, discount: 77, days: 30 },
  { unit: 0, setupFee: 100 },
  { unit: 1999, quantity: 7, discount: 1 },
  { unit: 0 },
];
const business = { company: 'SARL', vatNumber: 'FR40303265045', country: 'FR', address: '' };
const german = { buyerReference: leitwegId, company: 'Amt <Nord>' };

const table: Readonly<Record<string, InvoiceRecord>> = {
  'of one line': issued({ lines: one }),
  'of several lines with discounts and setup fees': issued({ lines: several }),
  'with prices that hold the tax': issued({ lines: several, inclusive: true }),
  'with a tax of 8.1 percent': issued({ lines: several, rate: 810, inclusive: true }),
  'at a standard rate of zero': issued({ lines: several, rate: 0 }),
  'under reverse charge': issued({ lines: one, rate: 0, treatment: 'reverse_charge', profile: business }),
  'that is exempt': issued({ lines: one, rate: 0, treatment: 'exempt' }),
  'outside of the scope': issued({
    lines: one,
    rate: 0,
    treatment: 'outside_scope',
    profile: { country: 'US', vatNumber: 'CHE123456789' },
  }),
  'of a seller who charges no tax': issued({ lines: one, rate: 0, treatment: 'none' }),
  'of a seller with a tax number': issued({
    lines: one,
    seller: { ...seller, vatNumber: '', taxNumber: '21/815/08150' },
  }),
  'in yen': issued({ lines: several, currency: 'JPY', rate: 1000 }),
  'in yen with many lines that round': issued({
    lines: Array.from({ length: 9 }, () => ({ unit: 5 })),
    currency: 'JPY',
    rate: 1000,
  }),
  'paid in part': paid(issued({ lines: several, inclusive: true }), 500),
  'paid by card': paid(issued({ lines: one }), 1190),
  'paid from credits': paid(issued({ lines: one }), 1190, 'credits'),
  'paid by transfer': paid(issued({ lines: one }), 1190, 'manual'),
  'that is free': issued({ lines: [{ unit: 500, discount: 500 }] }),
  'to a public buyer': issued({ lines: several, inclusive: true, profile: german }),
  'to a public buyer, paid': paid(issued({ lines: one, profile: german }), 1190),
  'to a public buyer without tax': issued({ lines: one, rate: 0, treatment: 'none', profile: german }),
  'to a customer without an address': issued({ lines: one, profile: { address: '', country: '' } }),
  'of a line that gives back': issued({ lines: [{ unit: 5000 }, { unit: -1250, quantity: 2 }] }),
};

describe('an electronic invoice', function () {
  this.timeout(120_000);

  for (const [what, invoice] of Object.entries(table)) {
    it(`keeps the schema and all rules for an invoice ${what}`, async () => {
      const xml = xmlOf(invoice);
      expect(violatedRules(xml)).to.deep.equal([]);
      expect(await schemaErrors([xml])).to.deep.equal([]);
    });
  }

  it('keeps the schema and all rules for credit notes of all of them', async () => {
    const all = Object.values(table).filter(({ totalMinor }) => totalMinor > 2);
    const notes = all.flatMap((invoice) =>
      [invoice.totalMinor, Math.ceil(invoice.totalMinor / 3)].map((amount) =>
        xmlOf(noteOf(invoice, amount), invoice.number),
      ),
    );
    for (const xml of notes) {
      expect(violatedRules(xml)).to.deep.equal([]);
      expect(xml).to.include('<ram:TypeCode>381</ram:TypeCode>').and.include('<ram:IssuerAssignedID>INV-000042<');
    }
    expect(await schemaErrors(notes)).to.deep.equal([]);
  });

  it('keeps the schema and all rules for random invoices and their credit notes, and states what is booked', async () => {
    const lines = fc.array(
      fc.record({
        unit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 })),
        quantity: fc.integer({ min: 1, max: 20 }),
        setupFee: fc.integer({ min: 0, max: 50_000 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        days: fc.constantFrom(0, 1, 30, 366),
      }),
      { minLength: 1, maxLength: 12 },
    );
    const sale = fc.record({
      lines,
      rate: fc.constantFrom(1900, 700, 810, 2550, 550, 1),
      inclusive: fc.boolean(),
      currency: fc.constantFrom('EUR', 'EUR', 'USD', 'JPY', 'HUF'),
      isGerman: fc.boolean(),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const written: string[] = [];
    fc.assert(
      fc.property(sale, ({ lines: sold, isGerman, part, ...rest }) => {
        const withDiscounts = sold.map(({ share, ...line }) => ({
          ...line,
          discount: Math.floor(line.quantity * (line.unit + line.setupFee) * share),
        }));
        const invoice = issued({ ...rest, lines: withDiscounts, ...(isGerman ? { profile: german } : {}) });
        const amount = Math.floor(invoice.totalMinor * part);
        const documents = [invoice, paid(invoice, amount), ...(amount > 0 ? [noteOf(invoice, amount)] : [])];
        for (const document of documents) {
          const found = parse(document, document.kind === 'credit_note' ? invoice.number : '');
          const xml = eInvoiceXml(found, 'de');
          expect(violatedRules(xml)).to.deep.equal([]);
          for (const [index, { price, quantity, setupFee }] of found.lines.entries()) {
            expect(Math.min(quantity, setupFee + 1)).to.be.above(0);
            if (document === invoice && sold[index]?.unit === 0 && sold[index]?.setupFee > 0) expect(price).to.equal(0);
          }
          expect(found.gross + found.rounding).to.equal(Math.abs(document.totalMinor));
          if (rest.currency !== 'JPY')
            expect([found.tax, found.rounding]).to.deep.equal([Math.abs(document.taxMinor), 0]);
          written.push(xml);
        }
      }),
      { numRuns: Number(process.env['FAST_CHECK_RUNS'] ?? 300) },
    );
    expect(await schemaErrors(written.slice(0, 200))).to.deep.equal([]);
  });

  it('states discount and setup fee of prices with tax without it, to exactly the booked net', () => {
    const [line] = parse(
      issued({ lines: [{ unit: 1000, quantity: 3, setupFee: 500, discount: 100 }], inclusive: true }),
    ).lines;
    expect(line).to.include({ net: 3697, discount: 84, setupFee: 1261, price: 840, basis: 1, quantity: 3 });
  });

  it('states a price of all units where one is no whole number', () => {
    const [line] = parse(issued({ lines: [{ unit: 1000, quantity: 3 }], inclusive: true })).lines;
    expect(line).to.include({ net: 2521, price: 2521, basis: 3, quantity: 3 });
  });

  it('rounds to what is booked where the tax of lines in yen is off its product', () => {
    const found = parse(table['in yen with many lines that round'] ?? expect.fail('no invoice'));
    // Nine times 0.5 yen, each rounded up.
    expect(found).to.include({ net: 45, tax: 5, gross: 50, rounding: 4, due: 54 });
  });

  it('states the category of VAT of each treatment', () => {
    const categoryOf = (treatment: TaxTreatment, rate = 0) =>
      parse(issued({ lines: one, rate, treatment, profile: business })).category;
    expect(categoryOf('standard', 1900)).to.equal('S');
    expect(categoryOf('standard')).to.equal('Z');
    expect(categoryOf('reverse_charge')).to.equal('AE');
    expect(categoryOf('exempt')).to.equal('E');
    expect([categoryOf('none'), categoryOf('outside_scope')]).to.deep.equal(['O', 'O']);
    const { tax: _tax, ...old } = issued({ lines: one, rate: 0 });
    expect(parse(old).category).to.equal('Z');
    expect(xmlOf(issued({ lines: one, rate: 0, treatment: 'exempt' }))).to.include('Von der Steuer befreit: embassy');
  });

  it('says what is paid and what is due', () => {
    expect(parse(paid(issued({ lines: one }), 500))).to.include({
      gross: 1190,
      prepaid: 500,
      due: 690,
      dueOn: '2026-03-08',
    });
    expect(parse(paid(issued({ lines: one }), 1190))).to.include({ prepaid: 1190, due: 0 });
    const refunded = paid(issued({ lines: one }), 1190);
    const payments = [
      ...refunded.payments,
      ...refunded.payments.map((payment) => ({ ...payment, amountMinor: -1190 })),
    ];
    expect(parse({ ...refunded, status: 'refunded', payments }).due).to.equal(0);
    expect(parse(noteOf(issued({ lines: one }), 1190), 'INV-000042')).to.include({
      gross: 1190,
      prepaid: 1190,
      due: 0,
    });
  });

  it('tells how it was paid, or can be', () => {
    const code = (invoice: InvoiceRecord) => parse(invoice).payment.code;
    expect(code(issued({ lines: one }))).to.equal('58');
    expect(code(paid(issued({ lines: one }), 1190, 'manual'))).to.equal('58');
    expect(code(paid(issued({ lines: one }), 1190))).to.equal('68');
    expect(code(paid(issued({ lines: one }), 1190, 'credits'))).to.equal('97');
    const unpaid = eInvoiceOf(issued({ lines: one }), { creditedInvoiceNumber: '', account: null });
    expect(unpaid?.payment).to.deep.equal({ code: '1' });
    const withoutIban = { ...account, iban: '' };
    const elsewhere = eInvoiceOf(issued({ lines: one }), { creditedInvoiceNumber: '', account: withoutIban });
    expect(elsewhere?.payment).to.deep.equal({ code: '1' });
  });

  it('writes an XRechnung for a buyer with a reference, if the seller names a contact and the buyer a city', () => {
    const profileOf = (sale: Partial<Sale>) => parse(issued({ lines: one, profile: german, ...sale })).profile;
    expect(profileOf({})).to.equal('xrechnung');
    expect(profileOf({ profile: {} })).to.equal('en16931');
    expect(profileOf({ profile: { ...german, address: 'Ring 3' } })).to.equal('en16931');
    for (const field of ['contact', 'phone', 'email'] as const)
      expect(profileOf({ seller: { ...seller, [field]: '' } }), field).to.equal('en16931');
  });

  it('takes postcode and city of a buyer from a line of the address', () => {
    const addressOf = (address: string) => {
      const { lines, postcode, city } = parse(issued({ lines: one, profile: { address } })).buyer;
      return [lines, postcode, city];
    };
    expect(addressOf('c/o Bob\nRing 3\nD-04109 Leipzig')).to.deep.equal([['c/o Bob', 'Ring 3'], '04109', 'Leipzig']);
    expect(addressOf('1\n2\n3\n4\n1010 Wien\nAustria')).to.deep.equal([['1', '2', '3, 4, Austria'], '1010', 'Wien']);
    expect(addressOf('St James Square 12\nLondon')).to.deep.equal([['St James Square 12', 'London'], '', '']);
  });

  it('writes reasons in the words of the language', () => {
    const found = parse(issued({ lines: several, rate: 0, treatment: 'none' }));
    expect(eInvoiceXml(found, 'en'))
      .to.include('>Discount<')
      .and.include('>Setup fee<')
      .and.include('>Not subject to VAT.<');
    expect(eInvoiceXml(found, 'ar')).to.include('>الخصم<');
  });

  it('keeps what a customer writes as text, without characters that XML has not', async () => {
    const name = `<a href="x">&amp;]]>\u0000\u000b\ud800'`;
    const xml = xmlOf(issued({ lines: one, profile: { company: name, name, address: `${name}\n1010 ${name}` } }));
    expect(xml).to.include('&lt;a href=').and.not.include('\u0000').and.not.include('\u000b').and.not.include('\ud800');
    expect(await schemaErrors([xml])).to.deep.equal([]);
  });

  for (const [why, invoice] of [
    ['a draft', { ...issued({ lines: one }), number: '' }],
    ['a void invoice', { ...issued({ lines: one }), status: 'void' as const }],
    ['a currency of three decimals', issued({ lines: one, currency: 'KWD' })],
    ['a seller from before', issued({ lines: one, seller: { name: 'N', address: 'A', vatNumber: 'DE136695976' } })],
    ['a seller without any number', issued({ lines: one, seller: { ...seller, vatNumber: '' } })],
    ['a seller without a city', issued({ lines: one, seller: { ...seller, city: '' } })],
  ] as const) {
    it(`refuses ${why}`, () => {
      expect(eInvoiceOf(invoice, { creditedInvoiceNumber: '', account })).to.equal(null);
    });
  }
});
