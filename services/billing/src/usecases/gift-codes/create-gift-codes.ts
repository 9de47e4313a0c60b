import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { checkNewGiftCodes, type NewGiftCodes } from '../../domain/check-gift-code.js';
import type { GiftCode } from '../../domain/gift-code.js';
import { fail } from '../../reasons.js';

interface Creation {
  readonly idempotencyId: string | undefined;
  readonly idempotencySeed: string | undefined;
}

/** With their codes, which are not stored. */
type NewGiftCode = GiftCode & { readonly code: string };

/** Idempotent by id. Throws INVALID_FIELDS, GIFT_CODE_TAKEN, GIFT_CODES_UNRECOVERABLE, CREATION_DELETED. */
export async function createGiftCodes(
  { giftCodes, giftCodeTexts, settings, clock, failpoint }: BillingContext,
  input: NewGiftCodes,
  { idempotencyId = randomUUID(), idempotencySeed }: Creation,
): Promise<NewGiftCode[]> {
  const createdAt = clock();
  const { currency: shopCurrency } = await settings.read();
  const { code: given, count, ...terms } = checkNewGiftCodes(input, shopCurrency, createdAt);
  const wanted = Array.from({ length: count }, (_, index) => {
    const code = given === '' ? giftCodeTexts.draw(idempotencySeed, index) : given;
    const id = index === 0 ? idempotencyId : derivedId(idempotencyId, `gift code ${index}`);
    return { id, code, codeHash: giftCodeTexts.hashOf(code) };
  });
  const fresh = { ...terms, redeemed: 0, createdAt, deletedAt: null, redemptions: [] };
  await giftCodes.insert(wanted.map(({ id, codeHash }) => ({ ...fresh, id, codeHash })));
  failpoint('gift.created');
  const stored = new Map((await giftCodes.getMany(wanted.map(({ id }) => id))).map((each) => [each.id, each]));
  return wanted.map(({ id, code, codeHash }) => {
    const giftCode = stored.get(id);
    if (!giftCode) throw fail('GIFT_CODE_TAKEN', 'there is a gift code with this code');
    if (giftCode.deletedAt) throw new AppError('aborted', 'CREATION_DELETED', 'what this call created was deleted');
    if (giftCode.codeHash !== codeHash)
      throw fail('GIFT_CODES_UNRECOVERABLE', 'the codes were created and cannot be shown any more');
    return { ...giftCode, code };
  });
}
