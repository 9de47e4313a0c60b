import { type Handler, requireUser } from '@panel/rpc';
import type { GiftCodeServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';
import { redeemGiftCode } from '../../usecases/gift-codes/redeem-gift-code.js';

export function handleRedeemGiftCode(context: BillingContext): Handler<GiftCodeServiceService['redeemGiftCode']> {
  return async ({ code }, { actor, idempotencyId }) => {
    const { userId } = requireUser(actor);
    const { entry, balanceMinor } = await redeemGiftCode(context, { userId, code }, idempotencyId);
    return { entry: presentEntry(entry), balance: presentMoney(balanceMinor, entry.currency), userId };
  };
}
