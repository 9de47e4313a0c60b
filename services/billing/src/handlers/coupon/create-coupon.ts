import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { randomUUID } from 'node:crypto';
import { invalidFields } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import { presentCoupon } from '../../present/coupon.js';
import { wordOf } from '../../present/words.js';
import { checkCoupon } from '../../usecases/coupons/check-coupon.js';

export function createCoupon(context: BillingContext): Handler<CouponServiceService['createCoupon']> {
  return async ({ coupon: given }, { idempotencyId = randomUUID() }) => {
    const type = given && wordOf(given.type, 'TYPE_', ['percent', 'fixed']);
    if (!type) throw invalidFields({ type: ['must be percent or fixed'] });
    const { currency } = await context.settings.read();
    if (type === 'fixed' && given.currency !== '' && given.currency !== currency) {
      throw invalidFields({ currency: [`must be ${currency}`] });
    }
    const at = context.clock();
    const fields = checkCoupon(
      {
        code: given.code,
        productIds: given.productIds,
        maxUses: given.maxUses ?? null,
        maxUsesPerUser: given.maxUsesPerUser ?? null,
        recurring: given.recurring ?? null,
        startsAt: given.startTime ?? null,
        expiresAt: given.expireTime ?? null,
      },
      { type, value: given.value },
      at,
    );
    const { object: coupon } = await createOnce(idempotencyId, {
      find: async (id) => context.coupons.get(id),
      create: async (id) => {
        const terms = { type, value: given.value, currency: type === 'fixed' ? currency : '' };
        const created = { ...fields, ...terms, id, uses: 0, createdAt: at };
        await context.coupons.create(created);
        return created;
      },
    });
    return { coupon: presentCoupon(coupon) };
  };
}
