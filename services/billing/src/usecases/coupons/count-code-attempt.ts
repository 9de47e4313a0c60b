import { rateLimited } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';

const maxFailures = 10;
const windowMs = 10 * 60_000;

/** Of a coupon or gift code, before it is compared: parallel guesses count too. Right ones are refunded. Throws RATE_LIMIT_EXCEEDED. */
export async function countCodeAttempt(
  { couponAttempts, clock }: Pick<BillingContext, 'couponAttempts' | 'clock'>,
  userId: string,
): Promise<void> {
  const { count, endsAt } = await couponAttempts.count(userId, windowMs, clock());
  if (count <= maxFailures) return;
  const remainingMs = endsAt.getTime() - clock().getTime();
  throw rateLimited('too many wrong codes', { name: 'coupon_codes', max: maxFailures, remainingMs });
}
