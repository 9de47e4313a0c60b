import { qrCodeSvg } from './qr-code.js';
import { describeInvoice, type InvoiceText, type InvoiceView } from './invoice-view.js';

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
th, td { padding: .35rem .5rem; border-bottom: 1px solid #ccc; text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
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
export function renderInvoiceHtml(view: InvoiceView, locale = 'en'): string {
  const text = describeInvoice(view, locale);
  return `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(text.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(text.title)}</h1>
<dl>${text.facts.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<div class="parties">${party('From', text.seller)}${party('To', text.customer)}</div>
${table(text)}
${taxTable(text)}
${text.notes.map(paragraph).join('')}
${payments(text.payments)}
${transfer(text)}
</body>
</html>
`;
}

const paragraph = (line: string): string => `<div dir="auto">${escapeHtml(line)}</div>`;

function party(label: string, lines: readonly string[]): string {
  return `<section><h2>${label}</h2>${lines.map(paragraph).join('')}</section>`;
}

function table(text: InvoiceText): string {
  const head = text.columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = text.rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  const span = text.columns.length - 1;
  const foot = text.totals
    .map(([label, value]) => `<tr><td colspan="${span}">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`)
    .join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody><tfoot>${foot}</tfoot></table>`;
}

const cell = (value: string): string => `<td dir="auto">${value.split('\n').map(escapeHtml).join('<br>')}</td>`;

function taxTable({ taxColumns, taxRows }: InvoiceText): string {
  if (taxRows.length === 0) return '';
  const head = taxColumns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = taxRows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  return `<table class="taxes"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function payments(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<section><h2>Payments</h2>${lines.map(paragraph).join('')}</section>`;
}

function transfer({ transfer: lines, transferCode }: InvoiceText): string {
  if (lines.length === 0) return '';
  const code = transferCode === null ? '' : qrCodeSvg(transferCode, 'Code for your banking app');
  return `<section><h2>Payment</h2>${lines.map(paragraph).join('')}${code}</section>`;
}
