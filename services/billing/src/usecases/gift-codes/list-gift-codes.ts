import type { PageQuery } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import type { GiftCodeStatus } from '../../domain/gift-code.js';

/** `status` null, `userId` empty: all. */
export async function listGiftCodes(
  { giftCodes, giftCodeTexts, clock }: BillingContext,
  filter: { readonly status: GiftCodeStatus | null; readonly userId: string },
  page: PageQuery,
) {
  return giftCodes.list({ ...filter, at: clock(), codeHash: giftCodeTexts.hashOf(page.search) }, page);
}
