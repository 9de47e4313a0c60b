import type { BillingContext } from '../../context.js';
import type { GiftCode } from '../../domain/gift-code.js';
import { fail } from '../../reasons.js';

/** Throws GIFT_CODE_NOT_FOUND. */
export async function getGiftCode({ giftCodes }: BillingContext, giftCodeId: string): Promise<GiftCode> {
  const giftCode = await giftCodes.get(giftCodeId);
  if (!giftCode) throw fail('GIFT_CODE_NOT_FOUND', 'there is no such gift code');
  return giftCode;
}
