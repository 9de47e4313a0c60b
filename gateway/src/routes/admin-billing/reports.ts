import {
  type Invoice,
  Invoice_Kind,
  Invoice_Status,
  InvoiceServiceService,
  ReportServiceService,
  Scope,
} from '@panel/protos/billing';
import { PageRequest } from '@panel/protos/common';
import { z } from 'zod';
import { isoTimeOf } from '../../declaration/present.js';
import { admin, one, route, type Route, type RouteRequest } from '../../declaration/route.js';
import { csvOf, csvReply } from './csv.js';

const reports = '/api/v1/admin/billing/reports';

const format = z.enum(['json', 'csv']).prefault('json').describe('a table for spreadsheets instead of JSON');
const month = z.string().max(10).prefault('').describe('like 2026-01');
const monthsQuery = z.object({ from_month: month, to_month: month, format });
const formatQuery = z.object({ format });

const amount = z.int().describe('in minor units');

const revenueRow = z.strictObject({
  month: z.string(),
  product_id: z.uuid().or(z.literal('')).describe('empty: not a product'),
  product_name: z.string(),
  amount: amount.describe('without tax, less refunds, in minor units'),
  currency: z.string(),
  invoices: z.int(),
});

const recurringRow = z.strictObject({
  month: z.string(),
  amount: amount.describe('what active services bring per month, in minor units'),
  currency: z.string(),
  active_services: z.int(),
  new_services: z.int(),
  ended_services: z.int(),
  churn: z.number().describe('percent of the services active at the start of the month'),
});

const openInvoiceRow = z.strictObject({
  id: z.uuid(),
  number: z.string(),
  user_id: z.uuid(),
  customer: z.string(),
  status: z.enum(['unpaid', 'overdue']),
  due_at: z.string(),
  amount: amount.describe('still to pay, in minor units'),
  currency: z.string(),
});

const rowsOf = <S extends z.ZodObject>(row: S) => ({
  ...one(z.strictObject({ rows: z.array(row) })),
  rawTypes: ['text/csv'],
});

/** The rows in the form that was asked for. */
function reply<R extends Readonly<Record<string, string | number>>>(
  name: string,
  schema: z.ZodObject,
  rows: R[],
  asked: 'json' | 'csv',
) {
  return asked === 'csv' ? csvReply(name, csvOf(rows, Object.keys(schema.shape))) : { rows };
}

/** Figures for operators, as JSON or CSV. */
export const reportRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${reports}/revenue`,
    summary: 'Revenue by month and product',
    access: admin(ReportServiceService.getRevenue),
    rate: 'general',
    query: monthsQuery,
    response: rowsOf(revenueRow),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc }) => {
      const span = { fromMonth: query.from_month, toMonth: query.to_month };
      const answer = await services.reports.getRevenue(span, rpc);
      const rows = answer.rows.map((row) => ({
        month: row.month,
        product_id: row.productId,
        product_name: row.productName,
        amount: row.revenue?.amountMinor ?? 0,
        currency: row.revenue?.currency ?? '',
        invoices: row.invoices,
      }));
      return reply('revenue', revenueRow, rows, query.format);
    },
  }),
  route({
    method: 'GET',
    path: `${reports}/recurring-revenue`,
    summary: 'Monthly recurring revenue and churn',
    access: admin(ReportServiceService.getRecurringRevenue),
    rate: 'general',
    query: monthsQuery,
    response: rowsOf(recurringRow),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc }) => {
      const span = { fromMonth: query.from_month, toMonth: query.to_month };
      const answer = await services.reports.getRecurringRevenue(span, rpc);
      const rows = answer.rows.map((row) => ({
        month: row.month,
        amount: row.recurringRevenue?.amountMinor ?? 0,
        currency: row.recurringRevenue?.currency ?? '',
        active_services: row.activeServices,
        new_services: row.newServices,
        ended_services: row.endedServices,
        churn: row.churnBasisPoints / 100,
      }));
      return reply('recurring-revenue', recurringRow, rows, query.format);
    },
  }),
  route({
    method: 'GET',
    path: `${reports}/open-invoices`,
    summary: 'Invoices that wait for their payment, the longest due first',
    access: admin(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: formatQuery,
    response: rowsOf(openInvoiceRow),
    headers: ['Content-Disposition'],
    handler: async (request) => {
      const overdue = await listAll(request, Invoice_Status.OVERDUE);
      const unpaid = await listAll(request, Invoice_Status.UNPAID);
      const rows = [...overdue, ...unpaid].filter(({ kind }) => kind === Invoice_Kind.INVOICE).map(openRow);
      return reply('open-invoices', openInvoiceRow, rows, request.query.format);
    },
  }),
];

const pageSize = 100;
/** A report with more rows is for the database. */
const maxPages = 100;

async function listAll({ services, rpc }: RouteRequest, status: Invoice_Status): Promise<Invoice[]> {
  const invoices: Invoice[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const asked = PageRequest.create({ page, perPage: pageSize, sort: ['due_at'] });
    const answer = await services.invoices.listInvoices({ page: asked, scope: Scope.ALL, status, userId: '' }, rpc);
    invoices.push(...answer.invoices);
    if (answer.invoices.length < pageSize) return invoices;
  }
  return invoices;
}

function openRow(invoice: Invoice): z.input<typeof openInvoiceRow> {
  const paid = invoice.payments.reduce((sum, { amount: part }) => sum + (part?.amountMinor ?? 0), 0);
  return {
    id: invoice.id,
    number: invoice.number,
    user_id: invoice.userId,
    customer: invoice.customer?.company || invoice.customer?.name || '',
    status: invoice.status === Invoice_Status.OVERDUE ? 'overdue' : 'unpaid',
    due_at: isoTimeOf(invoice.dueTime),
    amount: (invoice.total?.amountMinor ?? 0) - paid,
    currency: invoice.total?.currency ?? '',
  };
}
