import { isAppError } from '@panel/kit/errors';
import type { ReconciliationDeps } from './dependencies.js';
import type { Finding } from '../domain/discrepancy.js';

const timeoutMs = 5_000;

/** Active products without an egg. Not repaired: staff decide. Skipped while the servers service is unavailable. */
export async function compareProducts(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { eggId, productIds } of await deps.products.onSaleByEgg()) {
    if (signal.aborted) break;
    try {
      await deps.eggs.getEgg({ eggId }, { timeoutMs });
    } catch (error) {
      if (!isAppError(error, 'EGG_NOT_FOUND')) {
        deps.log.warn({ err: error }, 'the eggs of products could not be compared');
        return findings;
      }
      const detail = `it is on sale, and its egg ${eggId} is gone`;
      for (const reference of productIds)
        findings.push({ kind: 'product_without_egg', reference, detail, repaired: false });
    }
  }
  return findings;
}
