import {
  CreateGiftCodesRequest,
  CreateGiftCodesResponse,
  GiftCode,
  GiftCodeRedemption,
  GiftCodeServiceService,
  ListGiftCodesRequest_Status,
} from '@panel/protos/billing';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { amountField, money, moneyBody } from '../billing/money.js';
import { userFilter } from './resource.js';

const giftCodes = '/api/v1/admin/billing/gift-codes';

const redemption = resource(GiftCodeRedemption, '', {
  user_id: is.uuid('userId'),
  redeemed_at: is.time('redeemTime'),
});

const fields = {
  id: is.uuid('id'),
  code: is.textOrNull('code', 'in the answer to its creation; else null'),
  amount: is.part('amount', money),
  uses: is.int('uses', 'customers who can redeem it, each once'),
  redeemed: is.int('redeemed'),
  expires_at: is.timeOrNull('expireTime'),
  note: is.text('note', 'customers see it on their credits'),
  created_at: is.time('createTime'),
};

const listedCode = resource(GiftCode, 'GiftCode', fields);
const giftCode = resource(GiftCode, 'GiftCodeWithRedemptions', {
  ...fields,
  redemptions: is.parts('redemptions', redemption, 'oldest first'),
});
const createdCodes = resource(CreateGiftCodesResponse, '', { gift_codes: is.parts('giftCodes', listedCode) });

const creation = resource(CreateGiftCodesRequest, '', {
  code: is.given(
    'code',
    z
      .string()
      .trim()
      .max(50)
      .regex(/^[A-Za-z0-9_-]*$/, 'must be letters, digits, - and _')
      .default('')
      .meta({ description: 'of 8 letters and digits at least; default: drawn', examples: ['SUMMER-FAIR-26'] }),
  ),
  count: is.given('count', z.int().min(1).max(500).default(1).describe('how many; 1 with a code')),
  amount: amountField('amount').settableAs(
    null,
    moneyBody.describe('minor units; alone they are in the currency of the shop'),
  ),
  uses: is.given('uses', z.int().min(1).max(1000).default(1)),
  expires_at: is.timeOrNull('expireTime').settableAs(null, z.iso.datetime().nullish()),
  note: is.given('note', z.string().max(200).default('')),
});

const status = is.word('status', ListGiftCodesRequest_Status);

export const giftCodeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: giftCodes,
    summary: 'All gift codes, without the codes themselves',
    access: admin(GiftCodeServiceService.listGiftCodes),
    rate: 'general',
    query: listQuery('created_at', 'amount', 'redeemed', 'expires_at').extend({
      status: status.shown.schema.optional(),
      user_id: userFilter,
    }),
    response: list(listedCode.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), status: status.read(query.status), userId: query.user_id };
      const { giftCodes: found, page } = await services.giftCodes.listGiftCodes(request, rpc);
      return { items: found.map(listedCode.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${giftCodes}/{id}`,
    summary: 'A gift code, and who redeemed it when',
    access: admin(GiftCodeServiceService.getGiftCode),
    rate: 'general',
    response: one(giftCode.schema),
    handler: async ({ params, services, rpc }) =>
      giftCode.present((await services.giftCodes.getGiftCode({ giftCodeId: params.id }, rpc)).giftCode),
  }),
  route({
    method: 'POST',
    path: giftCodes,
    summary: 'Create gift codes; this answer alone shows them',
    access: admin(GiftCodeServiceService.createGiftCodes),
    rate: 'general',
    body: json(creation.createBody),
    response: one(createdCodes.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      createdCodes.present(await services.giftCodes.createGiftCodes(creation.read(CreateGiftCodesRequest, body), rpc)),
  }),
  route({
    method: 'DELETE',
    path: `${giftCodes}/{id}`,
    summary: 'Delete a gift code; customers keep what they have redeemed',
    access: admin(GiftCodeServiceService.deleteGiftCode),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.giftCodes.deleteGiftCode({ giftCodeId: params.id }, rpc);
    },
  }),
];
