import type { GatewayPayment } from '../../domain/payment-gateway.js';
import type { PayPalClient } from './client.js';
import { moneyOf } from './events.js';
import * as messages from './messages.js';

/** The report takes 31 days at most at a time. */
const windowMs = 31 * 24 * 3_600_000;

/** Completed payments of invoices from the transaction report, oldest first. The report lags by up to three hours. */
export async function* listPayments(client: PayPalClient, since: Date, until: Date): AsyncGenerator<GatewayPayment> {
  for (let from = since.getTime(); from <= until.getTime(); from += windowMs) {
    // The bounds of the report are inclusive, to the second.
    const payments = await paymentsOfWindow(client, from, Math.min(from + windowMs - 1000, until.getTime()));
    yield* payments.sort((a, b) => a.at.getTime() - b.at.getTime());
  }
}

async function paymentsOfWindow(client: PayPalClient, from: number, to: number): Promise<GatewayPayment[]> {
  const payments: GatewayPayment[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const report = await fetchReport(client, from, to, page);
    pages = report.total_pages;
    for (const { transaction_info: info } of report.transaction_details) {
      const isIncoming = !info.transaction_amount.value.startsWith('-');
      if (info.custom_field === undefined || info.transaction_status !== 'S' || !isIncoming) continue;
      payments.push({
        gatewayReference: info.transaction_id,
        invoiceId: info.custom_field,
        amount: moneyOf(info.transaction_amount),
        status: 'paid',
        at: info.transaction_initiation_date,
      });
    }
  }
  return payments;
}

function fetchReport(client: PayPalClient, from: number, to: number, page: number) {
  const query = new URLSearchParams({
    start_date: new Date(from).toISOString(),
    end_date: new Date(to).toISOString(),
    fields: 'transaction_info',
    page_size: '500',
    page: String(page),
  });
  const path = `/v1/reporting/transactions?${query.toString()}`;
  return client.call({ operation: 'list transactions', method: 'GET', path }, messages.transactions);
}
