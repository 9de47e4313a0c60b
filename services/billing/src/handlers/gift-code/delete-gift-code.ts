import type { Handler } from '@panel/rpc';
import type { GiftCodeServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { deleteGiftCode } from '../../usecases/gift-codes/delete-gift-code.js';

export function handleDeleteGiftCode(context: BillingContext): Handler<GiftCodeServiceService['deleteGiftCode']> {
  return async ({ giftCodeId }) => {
    await deleteGiftCode(context, giftCodeId);
    return {};
  };
}
