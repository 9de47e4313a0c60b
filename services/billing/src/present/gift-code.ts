import { messageFields } from '@panel/kit/records';
import type { GiftCode as GiftCodeMessage } from '@panel/protos/billing';
import type { GiftCode } from '../domain/gift-code.js';
import { presentMoney } from './money.js';

/** `code`: of one that was just created. */
export function presentGiftCode(giftCode: GiftCode & { readonly code?: string }): GiftCodeMessage {
  const { amountMinor, currency, code = '' } = giftCode;
  return {
    ...messageFields(giftCode),
    code,
    amount: presentMoney(amountMinor, currency),
    expireTime: giftCode.expiresAt ?? undefined,
    createTime: giftCode.createdAt,
    redemptions: giftCode.redemptions.map(({ userId, at }) => ({ userId, redeemTime: at })),
  };
}
