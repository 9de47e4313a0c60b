import { enumOf, messageFields } from '@panel/kit/records';
import {
  type Invoice as InvoiceMessage,
  Invoice_Kind,
  Invoice_Status,
  type InvoiceItem as ItemMessage,
  type Payment as PaymentMessage,
  type PendingPayment as PendingMessage,
  PlaceEvidence_Source,
  TaxTreatment,
} from '@panel/protos/billing';
import type { Invoice, InvoiceItem, InvoicePayment, InvoiceRecord } from '../domain/invoice.js';
import { isContradictory, placeEvidence } from '../domain/place-evidence.js';
import { taxLines } from '../domain/tax.js';
import { presentMoney } from './money.js';
import { presentTaxLine } from './tax.js';

export function presentInvoice(invoice: InvoiceRecord): InvoiceMessage {
  const { currency, tax, seller, customer } = invoice;
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return {
    ...messageFields(invoice),
    kind: enumOf(Invoice_Kind, invoice.kind),
    status: enumOf(Invoice_Status, invoice.status),
    items: invoice.items.map((item) => presentItem(item, currency)),
    subtotal: money(invoice.subtotalMinor),
    discount: money(invoice.discountMinor),
    tax: money(invoice.taxMinor),
    total: money(invoice.totalMinor),
    payments: invoice.payments.map((payment) => presentPayment(payment, currency)),
    refunded: money(invoice.refundedMinor),
    issueTime: invoice.issuedAt,
    dueTime: invoice.dueAt,
    paidTime: invoice.paidAt ?? undefined,
    createTime: invoice.createdAt,
    customer: { ...customer, buyerReference: customer.buyerReference ?? '' },
    seller: { ...seller, otherVatNumbers: seller.otherVatNumbers ?? '' },
    taxTreatment: enumOf(TaxTreatment, tax?.treatment ?? 'standard'),
    taxCountry: tax?.country ?? '',
    taxReason: tax?.reason ?? '',
    vatConsultation: tax?.consultation ?? '',
    vatCheckTime: tax?.checkedAt ?? undefined,
    pendingPayment: presentPending(invoice),
    ...presentPlace(invoice),
    taxes: taxLines(invoice.items, invoice.taxRateBasisPoints).map((line) => presentTaxLine(line, currency)),
  };
}

function presentPending({ pendingPayment, currency }: InvoiceRecord): PendingMessage | undefined {
  if (!pendingPayment || pendingPayment.reference === '') return undefined;
  const { method, amountMinor, at } = pendingPayment;
  return { method, amount: presentMoney(amountMinor, currency), createTime: at };
}

/** What is not taxed by the place is not in doubt. */
function presentPlace({
  evidence = [],
  payments,
  tax,
}: Invoice): Pick<InvoiceMessage, 'placeEvidence' | 'placeConflict'> {
  const cards =
    evidence.length === 0 ? [] : payments.flatMap(({ cardCountry }) => placeEvidence({ card: cardCountry ?? '' }));
  const all = [...evidence, ...cards];
  const isByPlace = tax?.treatment === 'standard' || tax?.treatment === 'outside_scope';
  return {
    placeEvidence: all.map(({ source, country }) => ({ source: enumOf(PlaceEvidence_Source, source), country })),
    placeConflict: isByPlace && isContradictory(all),
  };
}

function presentItem(item: InvoiceItem, currency: string): ItemMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return {
    ...messageFields(item),
    serviceId: item.subscriptionId,
    unitPrice: money(item.unitPriceMinor),
    setupFee: money(item.setupFeeMinor),
    discount: money(item.discountMinor),
    net: money(item.netMinor),
    tax: money(item.taxMinor),
    total: money(item.totalMinor),
    periodStartTime: item.periodStart ?? undefined,
    periodEndTime: item.periodEnd ?? undefined,
  };
}

function presentPayment({ id, method, amountMinor, reference, at }: InvoicePayment, currency: string): PaymentMessage {
  return { id, method, amount: presentMoney(amountMinor, currency), reference, createTime: at };
}
