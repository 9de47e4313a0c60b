import {
  Invoice,
  Invoice_Status,
  Money,
  PaymentsByGatewayRow,
  ReceivablesRow,
  RecognizedRevenueRow,
  RecurringRevenueRow,
  RevenueRow,
  TaxRow,
  TaxTreatment,
} from '@panel/protos/billing';
import { decimalOf } from '@panel/kit/text';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { isoTimeOf } from '../../declaration/present.js';
import { type Resource, resource } from '../../declaration/resource.js';
import type { RawReply } from '../../http/raw-reply.js';
import { type Cell, csvOf, csvReply } from './csv.js';

/** In minor units; a table for spreadsheets has a decimal of the currency instead. Absent means zero. */
function amount<M>(of: (message: M) => Money | undefined, about?: string) {
  const schema = about === undefined ? z.int() : z.int().describe(about);
  return { ...is.computed(schema, (message: M) => of(message)?.amountMinor ?? 0), moneyOf: of };
}

const currency = <M>(of: (message: M) => Money | undefined) =>
  is.computed(z.string(), (message: M) => of(message)?.currency ?? '');

export const revenue = resource(RevenueRow, '', {
  month: is.text('month'),
  product_id: is.plain('productId', z.uuid().or(z.literal('')).describe('empty: not a product')),
  product_name: is.text('productName'),
  amount: amount(({ revenue: own }: RevenueRow) => own, 'without tax, less refunds, in minor units'),
  currency: currency(({ revenue: own }: RevenueRow) => own),
  invoices: is.int('invoices'),
});

export const tax = resource(TaxRow, '', {
  month: is.text('month'),
  country: is.text('country', 'whose rate it is, ISO 3166-1 alpha-2; empty: of no country'),
  treatment: is.word('treatment', TaxTreatment, { unspecified: 'standard' }),
  rate: is.computed(z.number().describe('percent'), ({ rateBasisPoints }: TaxRow) => rateBasisPoints / 100),
  net: amount(({ net }: TaxRow) => net, 'in minor units'),
  tax: amount(({ tax: own }: TaxRow) => own),
  total: amount(({ total }: TaxRow) => total),
  currency: currency(({ total }: TaxRow) => total),
  invoices: is.int('invoices', 'with credit notes'),
});

export const recognized = resource(RecognizedRevenueRow, '', {
  month: is.text('month'),
  product_id: is.uuid('productId'),
  product_name: is.text('productName'),
  recognized: amount(
    ({ recognized: own }: RecognizedRevenueRow) => own,
    'earned in the month, without tax, in minor units',
  ),
  deferred: amount(({ deferred }: RecognizedRevenueRow) => deferred, 'paid, to be earned after the month'),
  currency: currency(({ recognized: own }: RecognizedRevenueRow) => own),
});

export const recurring = resource(RecurringRevenueRow, '', {
  month: is.text('month'),
  amount: amount(
    ({ recurringRevenue }: RecurringRevenueRow) => recurringRevenue,
    'what active services bring per month, in minor units',
  ),
  currency: currency(({ recurringRevenue }: RecurringRevenueRow) => recurringRevenue),
  active_services: is.int('activeServices'),
  new_services: is.int('newServices'),
  ended_services: is.int('endedServices'),
  churn: is.computed(
    z.number().describe('percent of the services active at the start of the month'),
    ({ churnBasisPoints }: RecurringRevenueRow) => churnBasisPoints / 100,
  ),
});

const receivablesSums = {
  not_due: amount(({ notDue }: ReceivablesRow) => notDue, 'below zero: money that is on its way back'),
  overdue_30: amount(({ overdue30 }: ReceivablesRow) => overdue30, 'due for 1 to 30 days'),
  overdue_60: amount(({ overdue60 }: ReceivablesRow) => overdue60, 'for 31 to 60'),
  overdue_90: amount(({ overdue90 }: ReceivablesRow) => overdue90, 'for 61 to 90'),
  overdue_longer: amount(({ overdueLonger }: ReceivablesRow) => overdueLonger),
  debt: amount(({ debt }: ReceivablesRow) => debt, 'credits below zero'),
  total: amount(({ total }: ReceivablesRow) => total),
  currency: currency(({ total }: ReceivablesRow) => total),
};

export const receivables = resource(ReceivablesRow, '', {
  user_id: is.uuid('userId'),
  customer: is.text('customer', 'as the billing profile says'),
  ...receivablesSums,
});

export const receivablesTotal = resource(ReceivablesRow, '', receivablesSums);

/** Rows, then totals as further rows. */
export const receivablesTable = resource(ReceivablesRow, '', {
  user_id: is.text('userId'),
  customer: is.computed(z.string(), ({ userId, customer }: ReceivablesRow) => (userId === '' ? 'total' : customer)),
  ...receivablesSums,
});

export const payments = resource(PaymentsByGatewayRow, '', {
  month: is.text('month'),
  gateway: is.text('gateway', '`manual`: by bank or hand'),
  received: amount(({ received }: PaymentsByGatewayRow) => received, 'in minor units'),
  refunded: amount(({ refunded }: PaymentsByGatewayRow) => refunded),
  disputed: amount(({ disputed }: PaymentsByGatewayRow) => disputed, 'lost to disputes'),
  net: amount(({ net }: PaymentsByGatewayRow) => net, 'received less refunded and disputed'),
  currency: currency(({ net }: PaymentsByGatewayRow) => net),
  movements: is.int('movements', 'payments, refunds and lost disputes'),
});

export const openInvoice = resource(Invoice, '', {
  id: is.uuid('id'),
  number: is.text('number'),
  user_id: is.uuid('userId'),
  customer: is.computed(z.string(), ({ customer }: Invoice) => customer?.company || customer?.name || ''),
  status: is.computed(z.enum(['unpaid', 'overdue']), ({ status }: Invoice) =>
    status === Invoice_Status.OVERDUE ? 'overdue' : 'unpaid',
  ),
  due_at: is.computed(z.string(), ({ dueTime }: Invoice) => isoTimeOf(dueTime)),
  amount: amount(leftOf, 'still to pay, in minor units'),
  currency: currency(({ total }: Invoice) => total),
});

function leftOf({ total, payments }: Invoice): Money {
  const paid = payments.reduce((sum, { amount: part }) => sum + (part?.amountMinor ?? 0), 0);
  return { ...Money.create(total), amountMinor: (total?.amountMinor ?? 0) - paid };
}

interface Column<M> extends is.Field<M> {
  /** Of amounts. */
  readonly moneyOf?: (message: M) => Money | undefined;
}
export type Fields<M> = Readonly<Record<string, Column<M>>>;

/** JSON, or a table for spreadsheets. */
export function reportReply<M, F extends Fields<M>>(
  name: string,
  report: Resource<M, F>,
  messages: readonly M[],
  asked: 'json' | 'csv',
) {
  return asked === 'csv' ? tableReply(name, report, messages) : { rows: messages.map(report.present) };
}

/** Amounts are decimals of their currency. */
export function tableReply<M, F extends Fields<M>>(
  name: string,
  { fields, present }: Resource<M, F>,
  messages: readonly M[],
): RawReply {
  const amounts = Object.entries<Column<M>>(fields).flatMap(([column, { moneyOf }]) =>
    moneyOf ? [[column, moneyOf] as const] : [],
  );
  const rows = messages.map((message) => ({
    ...(present(message) as Readonly<Record<string, Cell>>),
    ...Object.fromEntries(amounts.map(([column, moneyOf]) => [column, decimalCell(moneyOf(message))])),
  }));
  return csvReply(name, csvOf(rows, Object.keys(fields)));
}

function decimalCell(money: Money | undefined): Cell {
  return { decimal: decimalOf(money?.amountMinor ?? 0, money?.digits ?? 2) };
}
