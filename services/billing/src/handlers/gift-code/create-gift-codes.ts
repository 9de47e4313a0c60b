import type { Handler } from '@panel/rpc';
import type { GiftCodeServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentGiftCode } from '../../present/gift-code.js';
import { createGiftCodes } from '../../usecases/gift-codes/create-gift-codes.js';
import { readNewGiftCodes } from '../read-request.js';

export function handleCreateGiftCodes(context: BillingContext): Handler<GiftCodeServiceService['createGiftCodes']> {
  return async (request, { idempotencyId, idempotencySeed }) => {
    const created = await createGiftCodes(context, readNewGiftCodes(request), { idempotencyId, idempotencySeed });
    return { giftCodes: created.map(presentGiftCode) };
  };
}
