import type { Invoice } from '@panel/client';
import type { Scene } from './scene.js';

/** What holds at the end of every story. Returns what does not. */
export async function findViolations(scene: Scene): Promise<string[]> {
  const invoices = await scene.invoices();
  return [
    ...gaps(invoices),
    ...(await ledgerProblems(scene)),
    ...(await reportProblems(scene, invoices)),
    ...(await discrepancies(scene)),
  ];
}

/** Of each series. */
function gaps(invoices: readonly Invoice[]): string[] {
  const problems: string[] = [];
  const series = new Map<string, number[]>();
  for (const { id, number } of invoices) {
    const [, prefix = '', digits = ''] = /^(.*?)(\d+)$/.exec(number ?? '') ?? [];
    if (digits === '') problems.push(`the document ${id} has no number`);
    else series.set(prefix, [...(series.get(prefix) ?? []), Number(digits)]);
  }
  for (const [prefix, numbers] of series) {
    const sorted = numbers.toSorted((one, other) => one - other);
    const isWhole = sorted.every((number, index) => number === (sorted[0] ?? 0) + index);
    if (!isWhole || sorted[0] !== 1) problems.push(`the numbers of ${prefix} have gaps: ${sorted.join(', ')}`);
  }
  return problems;
}

async function ledgerProblems({ customer }: Scene): Promise<string[]> {
  const { balance, entries } = (await customer.panel.get('/billing/credits')).data;
  const sum = entries.reduce((total, { amount }) => total + amount.amount, 0);
  return sum === balance ? [] : [`the entries of the ledger make ${sum}, the balance is ${balance}`];
}

async function reportProblems({ panel }: Scene, invoices: readonly Invoice[]): Promise<string[]> {
  const { admin } = panel;
  const issued = invoices.filter(({ status }) => status !== 'draft' && status !== 'void');
  const months = issued.map(({ issued_at: at }) => at.slice(0, 7)).toSorted();
  const [from_month, to_month] = [months[0], months.at(-1)];
  const query = { ...(from_month && { from_month }), ...(to_month && { to_month }) };
  const { rows } = (await admin.get('/admin/billing/reports/tax', { query })).data;
  const reported = sumOf(rows.map(({ net, tax, total }) => ({ net, tax, total })));
  const documents = sumOf(
    issued
      .filter(isSale)
      .flatMap(({ taxes }) =>
        taxes.map(({ net, tax, total }) => ({ net: net.amount, tax: tax.amount, total: total.amount })),
      ),
  );
  const { rows: open } = (await admin.get('/admin/billing/reports/open-invoices')).data;
  const unpaid = invoices.filter(({ status }) => status === 'unpaid' || status === 'overdue').length;
  return [
    ...(reported === documents ? [] : [`the tax report says ${reported}, the documents ${documents}`]),
    ...(open.length === unpaid ? [] : [`the report of open invoices has ${open.length}, the customer ${unpaid}`]),
  ];
}

/** Bought credits are not taxed. */
function isSale({ items }: Invoice): boolean {
  return items.some(({ service_id: id }) => id !== null);
}

function sumOf(rows: readonly { readonly net: number; readonly tax: number; readonly total: number }[]): string {
  const add = (key: 'net' | 'tax' | 'total') => rows.reduce((sum, row) => sum + row[key], 0);
  return `net ${add('net')}, tax ${add('tax')}, total ${add('total')}`;
}

async function discrepancies({ panel }: Scene): Promise<string[]> {
  const { discrepancies: found } = (await panel.admin.get('/admin/billing/reports/discrepancies')).data;
  return found.map(({ kind, detail }) => `the reconciliation found ${kind}: ${detail}`);
}
