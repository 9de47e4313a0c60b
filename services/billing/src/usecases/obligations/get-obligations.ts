import type { BillingContext } from '../../context.js';
import type { Money } from '../../domain/payment.js';

interface Obligations {
  /** Above zero, by currency. */
  readonly credits: readonly Money[];
  readonly openInvoicesCount: number;
  /** By currency. */
  readonly openInvoicesDue: readonly Money[];
  /** Paid for and not ended. */
  readonly activeServicesCount: number;
  /** Balances below zero, as positive amounts. */
  readonly debts: readonly Money[];
}

/** What would be left without a user. */
export async function getObligations(
  { credits, invoices, subscriptions }: Pick<BillingContext, 'credits' | 'invoices' | 'subscriptions'>,
  userId: string,
): Promise<Obligations> {
  const [balances, debts, open, activeServicesCount] = await Promise.all([
    credits.ofUser(userId),
    credits.debts(userId),
    invoices.openOfUser(userId),
    subscriptions.countActive(userId),
  ]);
  return {
    credits: balances,
    openInvoicesCount: open.reduce((sum, { count }) => sum + count, 0),
    openInvoicesDue: open.map(({ amountMinor, currency }) => ({ amountMinor, currency })),
    activeServicesCount,
    debts,
  };
}
