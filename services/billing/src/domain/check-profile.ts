import { type FieldMessages, fieldProblem, invalidFields, issueMessages } from '@panel/kit/errors';
import { isOneLine, isPlainText, snakeCase } from '@panel/kit/text';
import { z } from 'zod';
import type { BillingProfile, ProfileFields } from './profile.js';
import { isCountry } from './countries.js';
import { compactVatNumber, isVatNumber, vatCountry } from './vat-number.js';
import { isMemberState, isoCountry } from './vat-territory.js';

const line = (max: number) => z.string().trim().max(max).refine(isOneLine, 'must be one line');

const profileSchema = z
  .object({
    name: line(200),
    company: line(200),
    address: z.string().trim().max(500).refine(isPlainText, 'must not hold control characters'),
    country: z
      .string()
      .transform(isoCountry)
      .refine((code) => code === '' || isCountry(code), 'must be a country code like DE'),
    vatNumber: z
      .string()
      .max(30)
      .transform(compactVatNumber)
      .refine((number) => number === '' || isVatNumber(number), 'must be a VAT number like DE136695976'),
    buyerReference: line(100),
  })
  .partial();

/** Throws INVALID_FIELDS. */
export function checkProfile(given: Partial<Record<keyof ProfileFields, unknown>>): z.output<typeof profileSchema> {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const result = profileSchema.safeParse(fields, { reportInput: true });
  if (result.success) return result.data;
  throw invalidFields(issueMessages(result.error.issues, snakeCase));
}

/** Of a number and a country of which at least one is new. */
export function vatNumberProblems({
  country,
  vatNumber,
}: Pick<BillingProfile, 'country' | 'vatNumber'>): FieldMessages {
  const own = vatCountry(vatNumber);
  const isOther = own !== null && own !== isoCountry(country) && (isMemberState(own) || isMemberState(country));
  if (!isOther) return {};
  return { vat_number: [fieldProblem('conflicting', 'must be of the country of the address')] };
}
