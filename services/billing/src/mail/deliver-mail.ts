import { decimalOf } from '@panel/kit/text';
import { AppError } from '@panel/kit/errors';
import type { Job } from '@panel/kit/process';
import { type Delivery, OutboxWorker } from '@panel/outbox';
import {
  type EnqueueMailRequest,
  InvoiceMail_Event,
  ServiceMail,
  ServiceMail_EndCause,
  ServiceMail_Event,
  ServiceMail_SuspendReason,
} from '@panel/protos/admin';
import type { Customer } from '../domain/profile.js';
import type { SubscriptionRecord, SuspendReason } from '../domain/subscription.js';
import type { MailDeps } from './dependencies.js';
import { currencyDigits } from '../domain/currency.js';
import type { EndCause, MailEvent, MailPayload } from '../domain/mail.js';
import type { Invoice } from '../domain/invoice.js';
import { loadCustomers } from '../customers/load-customers.js';
import { mailDocument } from './mail-document.js';

const timeoutMs = 5_000;

const invoiceEvents: Partial<Record<MailEvent, InvoiceMail_Event>> = {
  invoice_issued: InvoiceMail_Event.ISSUED,
  invoice_paid: InvoiceMail_Event.PAID,
  invoice_reminder: InvoiceMail_Event.REMINDER,
  invoice_overdue: InvoiceMail_Event.OVERDUE,
  invoice_refunded: InvoiceMail_Event.REFUNDED,
  invoice_cancelled: InvoiceMail_Event.CANCELLED,
  payment_failed: InvoiceMail_Event.PAYMENT_FAILED,
};

/** What a deleted customer does not get. Receipts and notes of refunds are sent. */
const ofCustomers: ReadonlySet<MailEvent> = new Set([
  'invoice_reminder',
  'invoice_overdue',
  'invoice_cancelled',
  'payment_failed',
]);

const subscriptionEvents: Partial<Record<MailEvent, ServiceMail_Event>> = {
  subscription_ready: ServiceMail_Event.READY,
  subscription_suspended: ServiceMail_Event.SUSPENDED,
  subscription_unsuspended: ServiceMail_Event.UNSUSPENDED,
  subscription_ended: ServiceMail_Event.ENDED,
  subscription_cancelled: ServiceMail_Event.CANCELLED,
  subscription_resumed: ServiceMail_Event.RESUMED,
};

const suspendReasons: Readonly<Record<SuspendReason, ServiceMail_SuspendReason>> = {
  operator: ServiceMail_SuspendReason.OPERATOR,
  dispute: ServiceMail_SuspendReason.DISPUTE,
  debt: ServiceMail_SuspendReason.DEBT,
  // A deleted customer gets no mail.
  no_user: ServiceMail_SuspendReason.UNSPECIFIED,
  overdue: ServiceMail_SuspendReason.OVERDUE,
  balance: ServiceMail_SuspendReason.BALANCE,
};

const endCauses: Readonly<Record<EndCause, ServiceMail_EndCause>> = {
  cancelled: ServiceMail_EndCause.CANCELLED,
  unpaid: ServiceMail_EndCause.UNPAID,
  operator: ServiceMail_EndCause.OPERATOR,
  dispute: ServiceMail_EndCause.DISPUTE,
};

type MailContent = NonNullable<EnqueueMailRequest['mail']>;

/** Admin deduplicates by id. */
export function createMailJobs(deps: MailDeps): Job[] {
  const { invoices, subscriptions, clock, log, outboxMetrics: metrics } = deps;
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
    worker('invoice-mail', invoices.outbox, async (delivery) => deliverInvoiceMail(deps, delivery)),
    worker('subscription-mail', subscriptions.outbox, async (delivery) => deliverSubscriptionMail(deps, delivery)),
  ];
}

async function deliverInvoiceMail(deps: MailDeps, { documentId, entry }: Delivery<MailPayload>): Promise<void> {
  const { invoices, mail } = deps;
  const invoice = await invoices.get(documentId);
  const event = invoiceEvents[entry.payload.event];
  if (!invoice || !event) return;
  const customer = (await loadCustomers(deps, [invoice.userId])).get(invoice.userId);
  if (ofCustomers.has(entry.payload.event) && !customer) return;
  // Retried: the number comes later.
  if (invoice.number === '') throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the invoice has no number yet');
  const corrected = invoice.correctsInvoiceId === '' ? null : await invoices.get(invoice.correctsInvoiceId);
  const { number, dueAt: dueTime } = corrected ?? invoice;
  const value = {
    event,
    customerName: invoice.customer.name,
    number,
    total: formatMoney(corrected ?? invoice),
    dueTime,
    document: await mailDocument(deps, invoice, corrected, entry.payload),
  };
  const content: MailContent = { $case: 'invoice', value };
  const envelope = { eventId: entry.id, to: invoice.customer.email, language: customer?.language ?? '' };
  await mail.enqueueMail({ ...envelope, mail: content }, { timeoutMs });
}

async function deliverSubscriptionMail(deps: MailDeps, { documentId, entry }: Delivery<MailPayload>): Promise<void> {
  const subscription = await deps.subscriptions.get(documentId);
  if (!subscription) return;
  const { userId } = subscription;
  const customer = (await loadCustomers(deps, [userId])).get(userId);
  // A deleted customer gets no mail.
  if (!customer) return;
  if (entry.payload.event === 'credits_low') return deliverCreditsLow(deps, subscription, customer, entry.id);
  if (entry.payload.event === 'price_changed') return deliverPriceChange(deps, subscription, customer, entry);
  const event = subscriptionEvents[entry.payload.event];
  if (!event) return;
  const serviceName = subscription.config.serverName || subscription.productName;
  const { suspendReason, endCause, endsAt } = entry.payload;
  const value = ServiceMail.create({
    event,
    customerName: customer.name,
    serviceName,
    suspendReason: suspendReason && suspendReasons[suspendReason],
    endCause: endCause && endCauses[endCause],
    endTime: endsAt,
  });
  const { email: to, language } = customer;
  await deps.mail.enqueueMail({ eventId: entry.id, to, language, mail: { $case: 'service', value } }, { timeoutMs });
}

async function deliverCreditsLow(
  { credits, mail }: MailDeps,
  { userId, plan: { currency } }: SubscriptionRecord,
  { name: customerName, email: to, language }: Customer,
  eventId: string,
): Promise<void> {
  const totalMinor = await credits.balance(userId, currency);
  const content: MailContent = {
    $case: 'creditsLow',
    value: { customerName, balance: formatMoney({ totalMinor, currency }) },
  };
  await mail.enqueueMail({ eventId, to, language, mail: content }, { timeoutMs });
}

async function deliverPriceChange(
  { mail }: MailDeps,
  { plan: { currency }, config, productName }: SubscriptionRecord,
  { name: customerName, email: to, language }: Customer,
  { id: eventId, payload: { notice } }: Delivery<MailPayload>['entry'],
): Promise<void> {
  if (!notice) return;
  const price = (totalMinor: number) => formatMoney({ totalMinor, currency });
  const value = {
    customerName,
    serviceName: config.serverName || productName,
    oldPrice: price(notice.oldMinor),
    newPrice: price(notice.priceMinor),
    startTime: notice.from,
  };
  await mail.enqueueMail({ eventId, to, language, mail: { $case: 'priceChange', value } }, { timeoutMs });
}

function formatMoney({ totalMinor, currency }: Pick<Invoice, 'totalMinor' | 'currency'>): string {
  return `${decimalOf(totalMinor, currencyDigits(currency))} ${currency}`;
}
