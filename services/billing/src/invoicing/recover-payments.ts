import { applyInvoiceEffects } from './apply-effects.js';
import type { InvoicingDeps } from './dependencies.js';
import { finishIntent } from './pay-from-credits.js';

const batch = 200;
/** Live requests finish their own payments. */
const graceMs = 5_000;

/** Resumes effects and payments from credits. */
export async function recoverPayments(deps: InvoicingDeps, signal: AbortSignal): Promise<void> {
  const { invoices, clock, attempt } = deps;
  const before = new Date(clock().getTime() - graceMs);
  for (const invoice of await invoices.staleIntents(before, batch)) {
    if (signal.aborted) return;
    const { id, intent } = invoice;
    if (intent) await attempt('recover-payments', id, async () => finishIntent(deps, invoice, intent));
  }
  for (const { id } of await invoices.dueEffects(before, batch)) {
    if (signal.aborted) return;
    await attempt('recover-payments', id, async () => applyInvoiceEffects(deps, id));
  }
}
