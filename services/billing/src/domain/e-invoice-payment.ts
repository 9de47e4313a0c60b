import type { BankAccount } from './bank-account.js';
import { type Invoice, isPayable } from './invoice.js';

/** UNTDID 4461. */
export type PaymentMeans =
  /** SEPA credit transfer, to be made or made. */
  | { readonly code: '58'; readonly account: BankAccount }
  /** Not defined, online payment service, clearing between partners. */
  | { readonly code: '1' | '68' | '97' };

/** As it was paid, else how it can be. */
export function paymentMeansOf(invoice: Invoice, account: BankAccount | null): PaymentMeans {
  const method = isPayable(invoice) ? 'manual' : invoice.payments.at(-1)?.method;
  if (method === 'credits') return { code: '97' };
  if (method !== undefined && method !== 'manual') return { code: '68' };
  return method === 'manual' && account && account.iban !== '' ? { code: '58', account } : { code: '1' };
}
