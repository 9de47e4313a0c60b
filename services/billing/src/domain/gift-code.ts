import { amount, count, date, id, listOf, optional, orNull, part, type RecordOf, text } from '@panel/kit/records';
import { derivedId } from '@panel/rpc';
import type { CreditEntry } from './credit.js';
import { accounts } from './journal.js';

/** Bounds the redemptions in a document: about 150 kB. */
export const maxGiftCodeUses = 1_000;
/** Of one request. */
export const maxNewGiftCodes = 500;

export type GiftCodeStatus = 'redeemable' | 'used_up' | 'expired';

const redemptionFields = {
  userId: id,
  at: date,
  /** Of the request, which finds its answer when it is repeated; or empty. */
  requestId: text,
  /** Until the credits are there. */
  openSince: optional(date),
};
export type GiftCodeRedemption = RecordOf<typeof redemptionFields>;

export const giftCodeFields = {
  id,
  /** Of the canonical code, which is not stored; of a deleted one not any more. */
  codeHash: text,
  amountMinor: amount,
  currency: id,
  /** Customers who can redeem it. */
  uses: count,
  redeemed: count,
  expiresAt: orNull(date),
  /** Customers see it. */
  note: text,
  createdAt: date,
  deletedAt: orNull(date),
  /** One a customer, oldest first. */
  redemptions: listOf(part(redemptionFields)),
};
export type GiftCode = RecordOf<typeof giftCodeFields>;

/** The credits of a redemption: posted again, they change nothing. */
export function giftEntry(
  { id: codeId, currency, amountMinor, note }: GiftCode,
  { userId, at }: GiftCodeRedemption,
): CreditEntry {
  return {
    id: derivedId(codeId, `gift ${userId}`),
    userId,
    currency,
    amountMinor,
    reason: 'gift',
    note,
    reference: codeId,
    against: accounts.promotion,
    createdAt: at,
  };
}

export function redemptionOf({ redemptions }: GiftCode, userId: string): GiftCodeRedemption | undefined {
  return redemptions.find((redemption) => redemption.userId === userId);
}
