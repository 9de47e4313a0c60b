import { AppError } from '@panel/kit/errors';
import { type NewInvoice, prepareInvoice } from '../domain/prepare-invoice.js';
import { mailEntry } from '../domain/mail.js';
import type { BillingProfile } from '../domain/profile.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import { loadCustomers } from '../customers/load-customers.js';

/** Idempotent by id. Numbered on return. */
export async function issueInvoice(deps: InvoicingDeps, request: NewInvoice): Promise<InvoiceRecord> {
  const existing = await deps.invoices.get(request.id);
  if (existing && existing.number !== '') return existing;
  const profile = await deps.profiles.get(request.userId);
  const [issued] = await issueInvoices(deps, [request], new Map([[request.userId, profile]]));
  if (!issued) throw new AppError('not_found', 'USER_NOT_FOUND', 'there is no such user');
  return issued;
}

/** Constant steps per batch; existing ones stay. Numbered on return. Omits deleted customers. */
export async function issueInvoices(
  deps: InvoicingDeps,
  requests: readonly NewInvoice[],
  profiles: ReadonlyMap<string, BillingProfile>,
): Promise<InvoiceRecord[]> {
  const userIds = requests.map(({ userId }) => userId);
  const [settings, customers] = await Promise.all([deps.settings.read(), loadCustomers(deps, userIds)]);
  const prepared = requests.flatMap((request) => {
    const customer = customers.get(request.userId);
    const profile = profiles.get(request.userId);
    if (!customer || !profile) return [];
    const invoice = prepareInvoice(request, { settings, profile, customer });
    const event = request.payment ? 'invoice_paid' : 'invoice_issued';
    return [{ invoice, mails: invoice.totalMinor > 0 ? [mailEntry(request.id, event, request.at)] : [] }];
  });
  const ids = prepared.map(({ invoice }) => invoice.id);
  await deps.invoices.insertAbsent(prepared);
  await deps.numbers.assignAll('invoice', ids);
  return deps.invoices.getMany(ids);
}
