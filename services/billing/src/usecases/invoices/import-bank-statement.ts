import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { StatementColumns } from '../../bank/parse-csv.js';
import { parseStatement } from '../../bank/parse-statement.js';
import type { BillingContext } from '../../context.js';
import { numbersIn, type StatementPayment } from '../../domain/bank-statement.js';
import { type InvoiceRecord, isPayable, paidMinor } from '../../domain/invoice.js';
import { recordPayment } from '../../invoicing/record-payment.js';

export interface StatementImport {
  readonly format: 'camt' | 'csv' | null;
  readonly content: string;
  /** Null: by known names. */
  readonly columns: StatementColumns | null;
  readonly isDryRun: boolean;
}

type StatementResult = 'booked' | 'known' | 'no_invoice' | 'ambiguous' | 'other_currency' | 'credited' | 'partly_paid';

export interface StatementOutcome {
  readonly payment: StatementPayment;
  readonly result: StatementResult;
  readonly invoiceIds: readonly string[];
}

const maxBytes = 768 * 1024;
/** A booking takes some 10 ms. */
const maxPayments = 2_000;
const numbersAtOnce = 1_000;

/**
 * Books what names its invoices; each payment once, however many statements have it. A payment of the same day and amount as one
 * from another file is taken for the same one. Throws INVALID_FIELDS.
 */
export async function importBankStatement(
  context: BillingContext,
  { format, content, columns, isDryRun }: StatementImport,
): Promise<StatementOutcome[]> {
  if (format === null) throw invalidFields({ format: [fieldProblem('not_allowed', 'must be camt or csv')] });
  if (Buffer.byteLength(content) > maxBytes)
    throw invalidFields({ content: [fieldProblem('too_long', 'is more than 768 KiB: import it in parts')] });
  const { currency: shopCurrency, invoicePrefix } = await context.settings.read();
  const payments = await parseStatement({ format, content, columns, shopCurrency });
  if (payments.length > maxPayments)
    throw invalidFields({ content: [fieldProblem('too_long', `has more than ${maxPayments} incoming payments`)] });
  const named = payments.map((payment) => ({ payment, numbers: numbersIn(payment.text, invoicePrefix) }));
  const known = await knownNumbers(
    context,
    named.flatMap(({ numbers }) => numbers),
  );
  const outcomes: StatementOutcome[] = [];
  for (const { payment, numbers } of named) {
    const own = numbers.filter((number) => known.has(number));
    outcomes.push(await match(context, payment, own, isDryRun));
  }
  return outcomes;
}

/** Most payments of an account name none. */
async function knownNumbers({ invoices }: BillingContext, numbers: readonly string[]): Promise<Set<string>> {
  const wanted = [...new Set(numbers)];
  const known = new Set<string>();
  for (let from = 0; from < wanted.length; from += numbersAtOnce)
    for (const { number } of await invoices.ofNumbers(wanted.slice(from, from + numbersAtOnce))) known.add(number);
  return known;
}

async function match(
  context: BillingContext,
  payment: StatementPayment,
  numbers: readonly string[],
  isDryRun: boolean,
): Promise<StatementOutcome> {
  const invoices = await context.invoices.ofNumbers(numbers);
  const [first, ...others] = invoices;
  const outcome = (result: StatementResult) => ({ payment, result, invoiceIds: invoices.map(({ id }) => id) });
  if (!first) return outcome('no_invoice');
  if (invoices.some(({ currency }) => currency !== payment.amount.currency)) return outcome('other_currency');
  if (invoices.every((invoice) => isBooked(invoice, payment))) return outcome('known');
  const open = invoices.map((invoice) => (isPayable(invoice) ? invoice.totalMinor - paidMinor(invoice) : 0));
  const { amountMinor } = payment.amount;
  if (others.length === 0) {
    if (!isDryRun) await book(context, first, payment, amountMinor);
    const openMinor = open[0] ?? 0;
    return outcome(openMinor === 0 ? 'credited' : amountMinor < openMinor ? 'partly_paid' : 'booked');
  }
  // A repetition after a crash finds some of them paid by it.
  const toPay = invoices.map((invoice, index) => paidBy(invoice, payment) || (open[index] ?? 0));
  if (toPay.reduce((sum, minor) => sum + minor, 0) !== amountMinor || toPay.includes(0)) return outcome('ambiguous');
  if (!isDryRun)
    for (const [index, invoice] of invoices.entries()) await book(context, invoice, payment, toPay[index] ?? 0);
  return outcome('booked');
}

const paymentIdOf = ({ id }: StatementPayment): string => `bank:${id}`;

function paidBy({ payments }: InvoiceRecord, payment: StatementPayment): number {
  return payments.find(({ id }) => id === paymentIdOf(payment))?.amountMinor ?? 0;
}

/** By this payment, or by one of another file that says the same. */
function isBooked({ payments }: InvoiceRecord, payment: StatementPayment): boolean {
  return payments.some(
    ({ id, amountMinor, at }) =>
      id === paymentIdOf(payment) ||
      (id.startsWith('bank:') && amountMinor === payment.amount.amountMinor && dayOf(at) === payment.date),
  );
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

async function book(
  context: BillingContext,
  invoice: InvoiceRecord,
  payment: StatementPayment,
  amountMinor: number,
): Promise<void> {
  const { date, text } = payment;
  const reference = text.slice(0, 200);
  const at = new Date(`${date}T12:00:00Z`);
  await recordPayment(context, invoice.id, { id: paymentIdOf(payment), method: 'manual', amountMinor, reference, at });
}
