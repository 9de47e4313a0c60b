import { loadCustomers } from '../customers/load-customers.js';
import type { Finding } from '../domain/discrepancy.js';
import { isEnded } from '../domain/subscription.js';
import type { ReconciliationDeps } from './dependencies.js';

const pageSize = 500;

/** Services of deleted customers. Not repaired: an operator ends them, or gives their servers to another user. */
export async function compareCustomers(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let lastId = '';
  while (!signal.aborted) {
    const page = await deps.subscriptions.pageAfter(lastId, pageSize);
    const paid = page.filter(({ status }) => !isEnded(status) && status !== 'pending');
    const customers = await loadCustomers(
      deps,
      paid.map(({ userId }) => userId),
    );
    for (const { id: reference, userId } of paid) {
      if (customers.has(userId)) continue;
      const detail = `its user ${userId} was deleted: it renews no more`;
      findings.push({ kind: 'service_without_user', reference, detail, repaired: false });
    }
    if (page.length < pageSize) break;
    lastId = page.at(-1)?.id ?? '';
  }
  return findings;
}
