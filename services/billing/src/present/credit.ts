import { messageFields } from '@panel/kit/records';
import type { CreditEntry as EntryMessage } from '@panel/protos/billing';
import type { CreditEntry } from '../domain/credit.js';
import { presentMoney } from './money.js';

export function presentEntry(entry: CreditEntry): EntryMessage {
  return {
    ...messageFields(entry),
    amount: presentMoney(entry.amountMinor, entry.currency),
    reason: entry.note === '' ? entry.reason : `${entry.reason}: ${entry.note}`,
    createTime: entry.createdAt,
  };
}
