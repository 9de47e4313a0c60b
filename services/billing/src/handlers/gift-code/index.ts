import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { GiftCodeServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { giftCodeDeletedEvent, giftCodeRedeemedEvent, giftCodesCreatedEvent } from '../../present/activity-events.js';
import { handleCreateGiftCodes } from './create-gift-codes.js';
import { handleDeleteGiftCode } from './delete-gift-code.js';
import { handleGetGiftCode } from './get-gift-code.js';
import { handleListGiftCodes } from './list-gift-codes.js';
import { handleRedeemGiftCode } from './redeem-gift-code.js';

export function serveGiftCodes(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(GiftCodeServiceService, {
    createGiftCodes: withActivity(activity, handleCreateGiftCodes(context), giftCodesCreatedEvent),
    deleteGiftCode: withActivity(activity, handleDeleteGiftCode(context), giftCodeDeletedEvent),
    getGiftCode: handleGetGiftCode(context),
    listGiftCodes: handleListGiftCodes(context),
    redeemGiftCode: withActivity(activity, handleRedeemGiftCode(context), giftCodeRedeemedEvent),
  });
}
