import { CreditEntry as EntryMessage } from '@panel/protos/billing';
import type { CreditEntry } from '../domain/credit.js';
import { presentMoney } from './money.js';

export function presentEntry(entry: CreditEntry): EntryMessage {
  return EntryMessage.create({
    id: entry.id,
    amount: presentMoney(entry.amountMinor, entry.currency),
    reason: entry.note === '' ? entry.reason : `${entry.reason}: ${entry.note}`,
    reference: entry.reference,
    createTime: entry.createdAt,
  });
}
