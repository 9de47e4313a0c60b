import { addProblem, fieldProblem, invalidFields, issueMessages } from '@panel/kit/errors';
import { isOneLine, snakeCase } from '@panel/kit/text';
import { z } from 'zod';
import { maxGiftCodeUses, maxNewGiftCodes } from './gift-code.js';
import { maxPriceMinor } from './money.js';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message);
};

const minLength = 8;

const newCodesSchema = z.object({
  code: z.union([
    z.literal(''),
    z
      .string()
      .max(50, 'must be at most 50 characters')
      .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, - and _')
      .refine((code) => code.replaceAll(/[_-]/g, '').length >= minLength, {
        message: `must have at least ${minLength} letters and digits`,
        params: { reason: 'too_short' },
      }),
  ]),
  count: whole(1, maxNewGiftCodes),
  amount: whole(1, maxPriceMinor),
  uses: whole(1, maxGiftCodeUses),
  expiresAt: z.date().nullable(),
  note: z.string().trim().max(200).refine(isOneLine, 'must be one line without control characters'),
});

export interface NewGiftCodes {
  /** Empty: drawn. */
  readonly code: string;
  readonly count: number;
  readonly amountMinor: number;
  /** Empty: the shop's. */
  readonly currency: string;
  readonly uses: number;
  readonly expiresAt: Date | null;
  readonly note: string;
}

/** `currency`: of the shop. Throws INVALID_FIELDS with REST names. */
export function checkNewGiftCodes<F extends NewGiftCodes>(fields: F, currency: string, now: Date): F {
  const { code, expiresAt } = fields;
  const given = { ...fields, code: code.trim(), amount: fields.amountMinor };
  const result = newCodesSchema.safeParse(given, { reportInput: true });
  const problems = issueMessages(result.error?.issues ?? [], snakeCase);
  if (fields.currency !== '' && fields.currency !== currency)
    addProblem(problems, 'amount', fieldProblem('not_allowed', `must be in ${currency}`));
  if (code.trim() !== '' && fields.count > 1)
    addProblem(problems, 'count', fieldProblem('conflicting', 'must be 1 with a code'));
  if (expiresAt && expiresAt <= now)
    addProblem(problems, 'expires_at', fieldProblem('in_past', 'must be in the future'));
  if (!result.data || Object.keys(problems).length > 0) throw invalidFields(problems);
  return { ...fields, code: result.data.code, note: result.data.note, currency };
}
