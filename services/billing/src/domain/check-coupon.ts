import {
  addProblem,
  type FieldMessages,
  fieldProblem,
  type FieldReason,
  invalidFields,
  issueMessages,
} from '@panel/kit/errors';
import { snakeCase } from '@panel/kit/text';
import { z } from 'zod';
import type { Coupon } from './coupon.js';
import { maxPriceMinor } from './money.js';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message);
};

const couponSchema = z.object({
  code: z
    .string()
    .trim()
    .min(3, 'must be at least 3 characters')
    .max(50, 'must be at most 50 characters')
    .regex(/^[\w-]+$/, 'must be letters, digits, - and _'),
  productIds: z.array(z.uuid()).max(1000),
  maxUses: whole(1, 1_000_000_000).nullable(),
  maxUsesPerUser: whole(1, 1_000_000).nullable(),
  recurring: whole(1, 1000).nullable(),
  startsAt: z.date().nullable(),
  expiresAt: z.date().nullable(),
});

export type CouponFields = Pick<
  Coupon,
  'code' | 'productIds' | 'maxUses' | 'maxUsesPerUser' | 'recurring' | 'startsAt' | 'expiresAt'
>;

/** `now`: new coupons only, which must not have expired. Throws INVALID_FIELDS with REST names. */
export function checkCoupon<F extends Partial<CouponFields>>(
  fields: F,
  value: { readonly type: Coupon['type']; readonly value: number | undefined },
  now: Date | null,
  further: FieldMessages = {},
): F {
  const given = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
  const result = couponSchema.partial().safeParse(given, { reportInput: true });
  const problems = { ...issueMessages(result.error?.issues ?? [], snakeCase), ...further };
  if (value.value !== undefined) {
    const most = value.type === 'percent' ? 100 : maxPriceMinor;
    const isFine = Number.isSafeInteger(value.value) && value.value >= 1 && value.value <= most;
    if (!isFine) problems.value = [fieldProblem('out_of_range', `must be a whole number from 1 to ${most}`)];
  }
  const { startsAt, expiresAt } = fields;
  const refuseEnd = (reason: FieldReason, message: string) =>
    addProblem(problems, 'expires_at', fieldProblem(reason, message));
  if (expiresAt && now && expiresAt <= now) refuseEnd('in_past', 'must be in the future');
  if (expiresAt && startsAt && expiresAt <= startsAt) refuseEnd('conflicting', 'must be after starts_at');
  if (!result.data || Object.keys(problems).length > 0) throw invalidFields(problems);
  return result.data as unknown as F;
}
