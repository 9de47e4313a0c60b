import { isAppError } from '@panel/kit/errors';
import type { GetObligationsResponse, Money } from '@panel/protos/billing';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';

const timeoutMs = 3_000;

/** Fails closed without a response. Throws USER_HAS_OBLIGATIONS, BILLING_UNREACHABLE. */
export async function requireNoObligations(
  { obligations }: Pick<IdentityContext, 'obligations'>,
  userId: string,
): Promise<void> {
  if (obligations === null) return;
  const open = await load(obligations, userId);
  const { credits, openInvoicesCount, openInvoicesDue, activeServicesCount, debts } = open;
  const parts = [
    ...(credits.length > 0 ? [`credits of ${amounts(credits)}`] : []),
    ...(debts.length > 0 ? [`a debt of ${amounts(debts)}`] : []),
    ...(openInvoicesCount > 0 ? [`${counted(openInvoicesCount, 'open invoice')} of ${amounts(openInvoicesDue)}`] : []),
    ...(activeServicesCount > 0 ? [counted(activeServicesCount, 'active service')] : []),
  ];
  if (parts.length === 0) return;
  throw fail(
    'USER_HAS_OBLIGATIONS',
    `this user has ${new Intl.ListFormat('en').format(parts)}: settle them, or delete the user with force=true`,
    {
      credits: credits.map(shown),
      open_invoices_count: openInvoicesCount,
      open_invoices_due: openInvoicesDue.map(shown),
      active_services_count: activeServicesCount,
      debts: debts.map(shown),
    },
  );
}

async function load(
  obligations: NonNullable<IdentityContext['obligations']>,
  userId: string,
): Promise<GetObligationsResponse> {
  try {
    return await obligations.getObligations({ userId }, { timeoutMs });
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw fail('BILLING_UNREACHABLE', 'the billing service does not answer', {}, { cause: error });
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function amounts(money: readonly Money[]): string {
  return new Intl.ListFormat('en').format(money.map(amountText));
}

/** "EUR 12.50". */
function amountText({ amountMinor, currency }: Money): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amountMinor / 10 ** digits).replace('\u00a0', ' ');
}

/** As the public API shows money. */
function shown({ amountMinor, currency }: Money) {
  return { amount: amountMinor, currency };
}
