import type { Handler } from '@panel/rpc';
import type { GiftCodeServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentGiftCode } from '../../present/gift-code.js';
import { getGiftCode } from '../../usecases/gift-codes/get-gift-code.js';

export function handleGetGiftCode(context: BillingContext): Handler<GiftCodeServiceService['getGiftCode']> {
  return async ({ giftCodeId }) => ({ giftCode: presentGiftCode(await getGiftCode(context, giftCodeId)) });
}
