import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import type { CreditEntry } from '../../domain/credit.js';
import { type GiftCode, type GiftCodeRedemption, redemptionOf } from '../../domain/gift-code.js';
import { finishRedemption } from '../../gift-codes/finish-redemption.js';
import { fail } from '../../reasons.js';
import { countCodeAttempt } from '../coupons/count-code-attempt.js';

interface RedeemInput {
  readonly userId: string;
  readonly code: string;
}

interface Redeemed {
  readonly entry: CreditEntry;
  readonly balanceMinor: number;
}

/**
 * Takes a use, then gives its credits: a crash in between is finished by `recover-redemptions`. Idempotent by
 * `requestId`. Throws INVALID_FIELDS naming `code`, GIFT_CODE_REDEEMED, RATE_LIMIT_EXCEEDED.
 */
export async function redeemGiftCode(
  context: BillingContext,
  { userId, code }: RedeemInput,
  requestId = '',
): Promise<Redeemed> {
  const { couponAttempts, credits, failpoint } = context;
  await countCodeAttempt(context, userId);
  const { giftCode, redemption } = await takeUse(context, { userId, code }, requestId);
  failpoint('gift.taken');
  await couponAttempts.refund(userId);
  const entry = await finishRedemption(context, giftCode, redemption);
  const posted = await credits.find(entry.id, userId, entry.currency);
  return { entry: posted ?? entry, balanceMinor: await credits.balance(userId, entry.currency) };
}

async function takeUse(
  { giftCodes, giftCodeTexts, couponAttempts, clock }: BillingContext,
  { userId, code }: RedeemInput,
  requestId: string,
): Promise<{ readonly giftCode: GiftCode; readonly redemption: GiftCodeRedemption }> {
  const codeHash = giftCodeTexts.hashOf(code);
  const at = clock();
  const taken = await giftCodes.take(codeHash, { userId, at, requestId, openSince: at });
  const giftCode = taken ?? (await giftCodes.findByHash(codeHash));
  const redemption = giftCode && redemptionOf(giftCode, userId);
  // One text for codes that are unknown, expired or used up: another would reveal that a code exists.
  if (!redemption) throw invalidFields({ code: [fieldProblem('wrong', 'is not a valid gift code')] });
  const isRepeated = requestId !== '' && redemption.requestId === requestId;
  if (taken || isRepeated || redemption.openSince) return { giftCode, redemption };
  await couponAttempts.refund(userId);
  throw fail('GIFT_CODE_REDEEMED', 'you have redeemed this gift code');
}
