import {
  ExportJournalRequest_Format,
  GetTaxRequest_Basis,
  type Invoice,
  Invoice_Kind,
  Invoice_Status,
  InvoiceServiceService,
  ReportServiceService,
  Scope,
} from '@panel/protos/billing';
import { asAttachment } from '@panel/kit/http';
import { PageRequest } from '@panel/protos/common';
import { z } from 'zod';
import { RawReply } from '../../http/raw-reply.js';
import { type DownloadMessage, openDownload } from '../../http/stream-chunks.js';
import { streamedBody } from '../../http/streamed-body.js';
import { userFilter } from './resource.js';
import type { Resource } from '../../declaration/resource.js';
import { admin, one, raw, route, type Route, type RouteRequest } from '../../declaration/route.js';
import {
  type Fields,
  openInvoice,
  payments,
  receivables,
  receivablesTable,
  receivablesTotal,
  recognized,
  recurring,
  reportReply,
  revenue,
  tableReply,
  tax,
} from './report-tables.js';

const reports = '/api/v1/admin/billing/reports';

const format = z.enum(['json', 'csv']).prefault('json').describe('a table for spreadsheets instead of JSON');
const month = z.string().max(10).prefault('').describe('like 2026-01');
const monthsQuery = z.object({ from_month: month, to_month: month, format });
const formatQuery = z.object({ format });

const basis = z
  .enum(['issued', 'paid'])
  .prefault('issued')
  .describe('when an invoice counts: on its day, or when it is paid');

const receivablesQuery = z.object({
  at: z.string().max(10).prefault('').describe('a day like 2026-01-31, in the time zone of the settings; empty: today'),
  currency: z.string().max(3).prefault('').describe('ISO 4217; empty: all'),
  user_id: userFilter,
  format,
});

const rowsOf = <S extends z.ZodObject>(row: S) => ({
  ...one(z.strictObject({ rows: z.array(row) })),
  rawTypes: ['text/csv'],
});

/** DATEV has an encoding of its own, which a type of text would deny. */
const journalFormats = {
  csv: { format: ExportJournalRequest_Format.CSV, type: 'text/csv' },
  ndjson: { format: ExportJournalRequest_Format.NDJSON, type: 'application/x-ndjson' },
  datev: { format: ExportJournalRequest_Format.DATEV, type: 'application/octet-stream' },
} as const;

/** Of ten years of a large shop. */
const reportTimeoutMs = 60_000;

type FilePart =
  { readonly $case: 'fileName'; readonly value: string } | { readonly $case: 'chunk'; readonly value: Buffer };

/** No deadline: the reader sets the pace; it ends with the request. */
async function fileReply(type: string, messages: AsyncIterable<DownloadMessage<FilePart>>): Promise<RawReply> {
  const { first: name, chunks } = await openDownload(messages, 'fileName');
  return new RawReply(type, streamedBody(chunks), { headers: { 'Content-Disposition': asAttachment(name) } });
}

interface MonthsReport<M, F extends Fields<M>> {
  readonly name: string;
  readonly summary: string;
  readonly access: Parameters<typeof admin>[0];
  readonly report: Resource<M, F>;
  readonly read: (
    services: RouteRequest['services'],
    span: { readonly fromMonth: string; readonly toMonth: string },
    options: RouteRequest['rpc'],
  ) => Promise<{ readonly rows: readonly M[] }>;
}

/** Rows of a span of months. */
const monthsReport = <M, F extends Fields<M>>({ name, summary, access, report, read }: MonthsReport<M, F>): Route =>
  route({
    method: 'GET',
    path: `${reports}/${name}`,
    summary,
    access: admin(access),
    rate: 'general',
    query: monthsQuery,
    response: rowsOf(report.schema),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc }) => {
      const span = { fromMonth: query.from_month, toMonth: query.to_month };
      const { rows } = await read(services, span, { ...rpc, timeoutMs: reportTimeoutMs });
      return reportReply(name, report, rows, query.format);
    },
  });

export const reportRoutes: readonly Route[] = [
  monthsReport({
    name: 'revenue',
    summary: 'Revenue by month and product',
    access: ReportServiceService.getRevenue,
    report: revenue,
    read: async ({ reports: client }, span, options) => client.getRevenue(span, options),
  }),
  route({
    method: 'GET',
    path: `${reports}/tax`,
    summary: 'Tax by month, country, treatment and rate, less credit notes',
    access: admin(ReportServiceService.getTax),
    rate: 'general',
    query: monthsQuery.extend({ basis }),
    response: rowsOf(tax.schema),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc }) => {
      const { ISSUED, PAID } = GetTaxRequest_Basis;
      const span = { fromMonth: query.from_month, toMonth: query.to_month };
      const request = { ...span, basis: query.basis === 'paid' ? PAID : ISSUED };
      return reportReply('tax', tax, (await services.reports.getTax(request, rpc)).rows, query.format);
    },
  }),
  monthsReport({
    name: 'recognized-revenue',
    summary: 'Revenue by the month in which it is earned, and what is paid for later',
    access: ReportServiceService.getRecognizedRevenue,
    report: recognized,
    read: async ({ reports: client }, span, options) => client.getRecognizedRevenue(span, options),
  }),
  route({
    method: 'GET',
    path: `${reports}/receivables`,
    summary: 'What customers owe, by currency and how long it is due, now or at the end of an earlier day',
    access: admin(ReportServiceService.getReceivables),
    rate: 'general',
    query: receivablesQuery,
    response: {
      ...one(
        z.strictObject({
          at: z.string().describe('the day that it is of'),
          rows: z.array(receivables.schema),
          totals: z.array(receivablesTotal.schema).describe('one a currency'),
        }),
      ),
      rawTypes: ['text/csv'],
    },
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc }) => {
      const request = { at: query.at, currency: query.currency, userId: query.user_id };
      const { at, rows, totals } = await services.reports.getReceivables(request, {
        ...rpc,
        timeoutMs: reportTimeoutMs,
      });
      if (query.format === 'csv') return tableReply(`receivables-${at}`, receivablesTable, [...rows, ...totals]);
      return { at, rows: rows.map(receivables.present), totals: totals.map(receivablesTotal.present) };
    },
  }),
  monthsReport({
    name: 'payments',
    summary: 'Money received, refunded and lost to disputes, by month, gateway and currency',
    access: ReportServiceService.getPaymentsByGateway,
    report: payments,
    read: async ({ reports: client }, span, options) => client.getPaymentsByGateway(span, options),
  }),
  route({
    method: 'GET',
    path: `${reports}/journal`,
    summary: 'The journal of a month as a file: every event that moved value',
    access: admin(ReportServiceService.exportJournal),
    rate: 'general',
    query: z.object({
      month: month.describe('like 2026-01, in the time zone of the settings'),
      format: z
        .enum(['csv', 'ndjson', 'datev'])
        .prefault('csv')
        .describe('`ndjson`: an object an entry, one a line; `datev`: a posting batch (EXTF) of entries in EUR'),
    }),
    response: raw('text/csv', 'application/x-ndjson', 'application/octet-stream'),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc, signal }) => {
      const { format: proto, type } = journalFormats[query.format];
      const options = { ...rpc, timeoutMs: undefined, signal };
      return fileReply(type, services.reports.exportJournal({ month: query.month, format: proto }, options));
    },
  }),
  route({
    method: 'GET',
    path: `${reports}/documents`,
    summary: 'Invoices and credit notes that were issued in a month, as PDF in a ZIP file',
    access: admin(ReportServiceService.exportDocuments),
    rate: 'general',
    query: z.object({ month: month.describe('like 2026-01, in the time zone of the settings') }),
    response: raw('application/zip'),
    headers: ['Content-Disposition'],
    handler: async ({ query, services, rpc, signal }) => {
      const options = { ...rpc, timeoutMs: undefined, signal };
      return fileReply('application/zip', services.reports.exportDocuments({ month: query.month }, options));
    },
  }),
  monthsReport({
    name: 'recurring-revenue',
    summary: 'Monthly recurring revenue and churn',
    access: ReportServiceService.getRecurringRevenue,
    report: recurring,
    read: async ({ reports: client }, span, options) => client.getRecurringRevenue(span, options),
  }),
  route({
    method: 'GET',
    path: `${reports}/open-invoices`,
    summary: 'Invoices that wait for their payment, the longest due first',
    access: admin(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: formatQuery,
    response: rowsOf(openInvoice.schema),
    headers: ['Content-Disposition'],
    handler: async (request) => {
      const overdue = await listAll(request, Invoice_Status.OVERDUE);
      const unpaid = await listAll(request, Invoice_Status.UNPAID);
      const rows = [...overdue, ...unpaid].filter(({ kind }) => kind === Invoice_Kind.INVOICE);
      return reportReply('open-invoices', openInvoice, rows, request.query.format);
    },
  }),
];

const pageSize = 100;
/** Larger reports need the database. */
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
