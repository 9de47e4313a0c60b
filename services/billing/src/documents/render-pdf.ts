import type { EInvoiceAttachment } from './e-invoice-attachment.js';
import { type FontSet, fontsFor } from './fonts.js';
import { describeInvoice, type InvoiceText } from './invoice-text.js';
import type { InvoiceView } from './invoice-view.js';
import { qrCodeOf } from './qr-code.js';
import { type Column, PageWriter } from './page-writer.js';

const body = { sizePt: 9 } as const;
const strong = { sizePt: 9, isBold: true } as const;
/** Shares of the width: description, quantity, unit price, discount, tax, total. */
const shares = [0.39, 0.08, 0.13, 0.11, 0.14, 0.15];
const gap = 6;
/** 35 mm. */
const codeSidePt = 99;

/** Deterministic. PDF/A-3b with an electronic invoice. */
export async function renderInvoicePdf(
  view: InvoiceView,
  fonts: FontSet,
  eInvoice: EInvoiceAttachment | null = null,
): Promise<Buffer> {
  const text = describeInvoice(view);
  const { title, direction } = text;
  const allFonts = await fontsFor(wordsOf(text), view.customer.country, fonts);
  const writer = new PageWriter(allFonts, {
    title,
    createdAt: view.issuedAt,
    language: view.language,
    direction,
    eInvoice,
  });
  writer.text(title, { sizePt: 18, isBold: true });
  writer.skip(6);
  for (const [label, value] of text.facts) writer.text(`${label}: ${value}`, body);
  writer.skip(12);
  writeParties(writer, text);
  writer.skip(16);
  writeTable(writer, text);
  writer.skip(6);
  writeTotals(writer, text);
  writeTaxes(writer, text);
  writePayments(writer, text);
  writeTransfer(writer, text);
  return writer.finish(text.pageNumber);
}

/** All that is printed. */
function wordsOf({ pageNumber: _pageNumber, ...text }: InvoiceText): string {
  return Object.values(text).flat(2).join('\n');
}

function writeParties(writer: PageWriter, text: InvoiceText): void {
  const width = writer.width / 2 - gap;
  const columns: Column[] = [
    { x: writer.left, width, align: 'start' },
    { x: writer.left + writer.width / 2 + gap, width, align: 'start' },
  ];
  writer.row([text.from, text.to], columns, strong);
  const height = Math.max(text.seller.length, text.customer.length);
  for (let line = 0; line < height; line += 1) {
    writer.row([text.seller[line] ?? '', text.customer[line] ?? ''], columns, body);
  }
}

function tableColumns(writer: PageWriter): Column[] {
  let x = writer.left;
  return shares.map((share, index) => {
    const column: Column = { x, width: share * writer.width - gap, align: index === 0 ? 'start' : 'end' };
    x += share * writer.width;
    return column;
  });
}

function writeTable(writer: PageWriter, text: InvoiceText): void {
  const columns = tableColumns(writer);
  const head = (): void => {
    writer.row(text.columns, columns, strong);
    writer.rule();
  };
  head();
  for (const row of text.rows) {
    writer.row(row, columns, body, head);
    writer.skip(3);
  }
  writer.rule();
}

function writeTotals(writer: PageWriter, text: InvoiceText): void {
  const columns: Column[] = [
    { x: writer.left + writer.width * 0.5, width: writer.width * 0.2, align: 'end' },
    { x: writer.left + writer.width * 0.7, width: writer.width * 0.3 - gap, align: 'end' },
  ];
  for (const [index, total] of text.totals.entries()) {
    writer.row(total, columns, index === text.totals.length - 1 ? strong : body);
  }
}

function writeTaxes(writer: PageWriter, { taxColumns, taxRows, notes }: InvoiceText): void {
  if (taxRows.length > 0) {
    const width = writer.width / 2 / taxColumns.length;
    const columns = taxColumns.map((_, index): Column => {
      return { x: writer.left + index * width, width: width - gap, align: index === 0 ? 'start' : 'end' };
    });
    writer.skip(14);
    writer.row(taxColumns, columns, strong);
    for (const row of taxRows) writer.row(row, columns, body);
  }
  if (notes.length === 0) return;
  writer.skip(10);
  for (const note of notes) writer.text(note, body);
}

function writePayments(writer: PageWriter, { paymentsTitle, payments }: InvoiceText): void {
  if (payments.length === 0) return;
  writer.skip(14);
  writer.text(paymentsTitle, strong);
  for (const payment of payments) writer.text(payment, body);
}

function writeTransfer(writer: PageWriter, { transferTitle, transfer, transferCode }: InvoiceText): void {
  if (transfer.length === 0) return;
  writer.skip(14);
  writer.text(transferTitle, strong);
  for (const line of transfer) writer.text(line, body);
  if (transferCode === null) return;
  writer.skip(6);
  writer.qrCode(qrCodeOf(transferCode), codeSidePt);
}
