import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import { z } from 'zod';

/** Stored without spaces; may be empty. */
export const iban = z
  .string()
  .max(50, 'must be at most 50 characters')
  .transform(compact)
  .refine((text) => text === '' || isValidIBAN(text), 'must be an IBAN with its right check digits');

/** As `iban`. */
export const bic = z
  .string()
  .max(20, 'must be at most 20 characters')
  .transform(compact)
  .refine((text) => text === '' || isValidBIC(text), 'must be a BIC of 8 or 11 characters');

function compact(text: string): string {
  return electronicFormatIBAN(text) ?? '';
}
