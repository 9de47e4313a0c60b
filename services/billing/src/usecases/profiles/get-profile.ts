import type { BillingContext } from '../../context.js';
import { loadCustomer } from '../../customers/load-customers.js';
import type { InvoiceCustomer } from '../../domain/profile.js';

/** Customer data on invoices. */
export async function getProfile(context: BillingContext, userId: string): Promise<InvoiceCustomer> {
  const [{ userId: _user, ...profile }, { email }] = await Promise.all([
    context.profiles.get(userId),
    loadCustomer(context, userId),
  ]);
  return { ...profile, email };
}
