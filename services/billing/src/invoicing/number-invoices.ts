import type { InvoicingDeps } from './dependencies.js';

const batch = 500;
/** Live requests number their own invoices. */
const graceMs = 5_000;

export async function numberInvoices({ invoices, numbers, clock }: InvoicingDeps, signal: AbortSignal): Promise<void> {
  const before = new Date(clock().getTime() - graceMs);
  const found = await invoices.listUnnumbered(before, batch);
  if (signal.aborted) return;
  for (const wanted of ['invoice', 'credit_note'] as const) {
    const ids = found.flatMap(({ id, kind }) => (kind === wanted ? [id] : []));
    await numbers.assignAll(wanted, ids);
  }
}
