import type { Failpoint } from '@panel/kit/process';
import { type GiftCode, type GiftCodeRedemption, giftEntry } from '../domain/gift-code.js';
import type { CreditEntry } from '../domain/credit.js';
import type { InvoicingDeps } from '../invoicing/dependencies.js';
import { wakeSubscriptions } from '../invoicing/apply-effects.js';
import type { GiftCodeStore } from '../models/gift-code.js';

export interface RedemptionDeps extends InvoicingDeps {
  readonly failpoint: Failpoint;
  readonly giftCodes: GiftCodeStore;
}

/** Gives the credits of a use that is taken. Idempotent. */
export async function finishRedemption(
  deps: RedemptionDeps,
  code: GiftCode,
  redemption: GiftCodeRedemption,
): Promise<CreditEntry> {
  const { credits, giftCodes, failpoint } = deps;
  const entry = giftEntry(code, redemption);
  await credits.post(entry);
  failpoint('gift.posted');
  await wakeSubscriptions(deps, redemption.userId);
  await giftCodes.confirm(code.id, redemption.userId);
  return entry;
}
