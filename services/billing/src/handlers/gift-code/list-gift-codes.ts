import { type Handler, presentEach } from '@panel/rpc';
import { GiftCode, type GiftCodeServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentGiftCode } from '../../present/gift-code.js';
import { listGiftCodes } from '../../usecases/gift-codes/list-gift-codes.js';
import { pageInfo, readGiftCodeStatus } from '../read-request.js';

const sortable = { created_at: 'createdAt', amount: 'amountMinor', redeemed: 'redeemed', expires_at: 'expiresAt' };

export function handleListGiftCodes(context: BillingContext): Handler<GiftCodeServiceService['listGiftCodes']> {
  return async (request, call) => {
    const page = parsePage(request.page, sortable);
    const filter = { status: readGiftCodeStatus(request.status), userId: request.userId };
    const { giftCodes, total } = await listGiftCodes(context, filter, page);
    return { giftCodes: presentEach(call, giftCodes, presentGiftCode, GiftCode), page: pageInfo(page, total) };
  };
}
