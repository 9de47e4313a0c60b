import { invalidFields, issueMessages } from '@panel/kit/errors';
import { isOneLine, isPlainText, snakeCase } from '@panel/kit/text';
import { z } from 'zod';
import type { BillingProfile } from './profile.js';

const line = (max: number) => z.string().trim().max(max).refine(isOneLine, 'must be one line');

const profileSchema = z
  .object({
    name: line(200),
    company: line(200),
    address: z.string().trim().max(500).refine(isPlainText, 'must not hold control characters'),
    country: z.string().regex(/^([A-Z]{2})?$/, 'must be a country code like DE'),
    vatNumber: z.string().regex(/^([A-Z]{2}[A-Z0-9+*. -]{2,18})?$/, 'must be a VAT number like DE123456789'),
  })
  .partial();

/** Throws INVALID_FIELDS. */
export function checkProfile(given: Partial<Record<keyof BillingProfile, unknown>>): z.output<typeof profileSchema> {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const result = profileSchema.safeParse(fields, { reportInput: true });
  if (result.success) return result.data;
  throw invalidFields(issueMessages(result.error.issues, snakeCase));
}
