import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** What is redeemed stays, also what is still to be given. Throws GIFT_CODE_NOT_FOUND. */
export async function deleteGiftCode({ giftCodes, clock }: BillingContext, giftCodeId: string): Promise<void> {
  if (!(await giftCodes.delete(giftCodeId, clock()))) throw fail('GIFT_CODE_NOT_FOUND', 'there is no such gift code');
}
