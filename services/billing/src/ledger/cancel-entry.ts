import { derivedId } from '@panel/rpc';
import type { CreditEntry } from '../domain/credit.js';
import type { CreditStore } from '../models/account.js';

/** Reverses a posted entry, into the lots that it took from; else its mark blocks a late posting. Idempotent. */
export async function cancelEntry(credits: CreditStore, entry: CreditEntry, at: Date): Promise<void> {
  const mark: CreditEntry = { ...entry, amountMinor: 0, reason: 'cancelled', createdAt: at };
  if ((await credits.post(mark)) === 'posted') return;
  const posted = await credits.find(entry.id, entry.userId, entry.currency);
  if (!posted || posted.amountMinor === 0) return;
  const reversal = { ...posted, id: derivedId(entry.id, 'reversal'), amountMinor: -posted.amountMinor, createdAt: at };
  await credits.post({ ...reversal, reason: 'reversal' }, { into: posted.lots });
}
