import { qrCodeSvg } from './qr-code.js';
import { describeInvoice, type InvoiceText } from './invoice-text.js';
import type { InvoiceView } from './invoice-view.js';

/** Second defence after escaping. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

const style = `
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1a1a; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
.parties { display: flex; gap: 3rem; }
.parties > * { flex: 1; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; margin: 1.5rem 0; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid #ccc; text-align: end; vertical-align: top; }
th:first-child, td:first-child { text-align: start; overflow-wrap: anywhere; }
table.taxes { width: auto; }
.code { width: 35mm; height: 35mm; }
tfoot td { border: 0; }
tfoot tr:last-child { font-weight: bold; }
@page { size: A4; margin: 18mm; }
@media print { body { margin: 0; max-width: none; } thead { display: table-header-group; } tr { break-inside: avoid; } }
`;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** Self-contained, for screen and print. */
export function renderInvoiceHtml(view: InvoiceView): string {
  const text = describeInvoice(view);
  return `<!doctype html>
<html lang="${view.language}" dir="${text.direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(text.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${value(text.title)}</h1>
<dl>${text.facts.map(([label, fact]) => `<dt>${escapeHtml(label)}</dt><dd>${value(fact)}</dd>`).join('')}</dl>
<div class="parties">${party(text.from, text.seller)}${party(text.to, text.customer)}</div>
${table(text)}
${taxTable(text)}
${text.notes.map(paragraph).join('')}
${payments(text)}
${transfer(text)}
</body>
</html>
`;
}

/** Aligned with the page, in its own direction. */
const value = (line: string): string => `<bdi>${escapeHtml(line)}</bdi>`;

const paragraph = (line: string): string => `<div>${value(line)}</div>`;

function party(label: string, lines: readonly string[]): string {
  return `<section><h2>${escapeHtml(label)}</h2>${lines.map(paragraph).join('')}</section>`;
}

function table(text: InvoiceText): string {
  const head = text.columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = text.rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  const span = text.columns.length - 1;
  const foot = text.totals
    .map(([label, total]) => `<tr><td colspan="${span}">${value(label)}</td><td>${value(total)}</td></tr>`)
    .join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody><tfoot>${foot}</tfoot></table>`;
}

const cell = (content: string): string => `<td>${content.split('\n').map(value).join('<br>')}</td>`;

function taxTable({ taxColumns, taxRows }: InvoiceText): string {
  if (taxRows.length === 0) return '';
  const head = taxColumns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = taxRows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  return `<table class="taxes"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function payments({ paymentsTitle, payments: lines }: InvoiceText): string {
  if (lines.length === 0) return '';
  return `<section><h2>${escapeHtml(paymentsTitle)}</h2>${lines.map(paragraph).join('')}</section>`;
}

function transfer({ transferTitle, transfer: lines, transferCode, transferCodeLabel }: InvoiceText): string {
  if (lines.length === 0) return '';
  const code = transferCode === null ? '' : qrCodeSvg(transferCode, escapeHtml(transferCodeLabel));
  return `<section><h2>${escapeHtml(transferTitle)}</h2>${lines.map(paragraph).join('')}${code}</section>`;
}
