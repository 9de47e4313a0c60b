import type { CreditEntry } from './credit.js';
import { sumOf } from './credit-lots.js';
import { accounts, balanced, type JournalEntry } from './journal.js';

/** Of a posted entry; null: a mark. What its lots lack is debt. */
export function journalOfCredits(entry: CreditEntry): JournalEntry | null {
  const { id, userId, currency, amountMinor, createdAt: at, note: text, lots = [], against } = entry;
  const sign = amountMinor < 0 ? 1 : -1;
  return balanced({ id: `credits:${id}`, kind: 'credits', at, userId, currency, documentId: id, text }, [
    ...lots.map((lot) => [accounts.credits(lot.id), sign * lot.amountMinor] as const),
    [accounts.debt(userId), -amountMinor - sign * sumOf(lots)],
    [against ?? accounts.writtenOff, amountMinor],
  ]);
}
