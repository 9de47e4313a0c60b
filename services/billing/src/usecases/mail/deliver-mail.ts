import { AppError } from '@panel/kit/errors';
import type { Job } from '@panel/kit/process';
import { type Delivery, OutboxWorker } from '@panel/outbox';
import { type EnqueueMailRequest, InvoiceMail_Event, ServiceMail_Event } from '@panel/protos/admin';
import type { BillingContext } from '../../context.js';
import { currencyDigits, decimalAmount } from '../../domain/currency.js';
import type { MailEvent, MailPayload } from '../../domain/mail.js';
import type { Invoice } from '../../domain/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { type Customer, loadCustomer } from '../load-customer.js';

const timeoutMs = 5_000;

const invoiceEvents: Partial<Record<MailEvent, InvoiceMail_Event>> = {
  invoice_issued: InvoiceMail_Event.ISSUED,
  invoice_paid: InvoiceMail_Event.PAID,
  invoice_reminder: InvoiceMail_Event.REMINDER,
  invoice_overdue: InvoiceMail_Event.OVERDUE,
  invoice_refunded: InvoiceMail_Event.REFUNDED,
  payment_failed: InvoiceMail_Event.PAYMENT_FAILED,
};

const serviceEvents: Partial<Record<MailEvent, ServiceMail_Event>> = {
  service_ready: ServiceMail_Event.READY,
  service_suspended: ServiceMail_Event.SUSPENDED,
  service_unsuspended: ServiceMail_Event.UNSUSPENDED,
  service_ended: ServiceMail_Event.ENDED,
};

type MailContent = NonNullable<EnqueueMailRequest['mail']>;

/** The jobs that bring mails from invoices and services to admin, which knows each by its id and sends it once. */
export function createMailJobs(context: BillingContext): Job[] {
  const { invoices, services, clock, log, outboxMetrics: metrics } = context;
  const worker = (
    name: string,
    store: typeof invoices.outbox,
    deliver: (delivery: Delivery<MailPayload>) => Promise<void>,
  ) =>
    new OutboxWorker({
      name,
      store,
      deliver: async (deliveries) => {
        for (const delivery of deliveries) await deliver(delivery);
      },
      clock,
      log,
      metrics,
    }).asJob();
  return [
    worker('invoice-mail', invoices.outbox, async (delivery) => deliverInvoiceMail(context, delivery)),
    worker('service-mail', services.outbox, async (delivery) => deliverServiceMail(context, delivery)),
  ];
}

async function deliverInvoiceMail(
  { invoices, mail }: BillingContext,
  { documentId, entry }: Delivery<MailPayload>,
): Promise<void> {
  const invoice = await invoices.get(documentId);
  const event = invoiceEvents[entry.payload.event];
  if (!invoice || !event) return;
  // A mail without the number would be of no use; the number comes with the next attempt.
  if (invoice.number === '') throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the invoice has no number yet');
  const value = {
    event,
    customerName: invoice.customer.name,
    number: invoice.number,
    total: formatMoney(invoice),
    dueDate: invoice.dueAt.toISOString().slice(0, 10),
  };
  const content: MailContent = { $case: 'invoice', value };
  await mail.enqueueMail({ eventId: entry.id, to: invoice.customer.email, mail: content }, { timeoutMs });
}

async function deliverServiceMail(
  context: BillingContext,
  { documentId, entry }: Delivery<MailPayload>,
): Promise<void> {
  const service = await context.services.get(documentId);
  if (!service) return;
  const customer = await loadCustomer(context, service.userId);
  if (entry.payload.event === 'credits_low') return deliverCreditsLow(context, service, customer, entry.id);
  const event = serviceEvents[entry.payload.event];
  if (!event) return;
  const serviceName = service.config.serverName || service.productName;
  const content: MailContent = { $case: 'service', value: { event, customerName: customer.name, serviceName } };
  await context.mail.enqueueMail({ eventId: entry.id, to: customer.email, mail: content }, { timeoutMs });
}

async function deliverCreditsLow(
  { credits, mail }: BillingContext,
  { userId, plan: { currency } }: ServiceRecord,
  { name: customerName, email }: Customer,
  eventId: string,
): Promise<void> {
  const totalMinor = await credits.balance(userId, currency);
  const content: MailContent = {
    $case: 'creditsLow',
    value: { customerName, balance: formatMoney({ totalMinor, currency }) },
  };
  await mail.enqueueMail({ eventId, to: email, mail: content }, { timeoutMs });
}

function formatMoney({ totalMinor, currency }: Pick<Invoice, 'totalMinor' | 'currency'>): string {
  return `${decimalAmount(totalMinor, currencyDigits(currency))} ${currency}`;
}
