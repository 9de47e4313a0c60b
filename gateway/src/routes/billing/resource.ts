import {
  ChangePlanRequest,
  ChangePlanResponse,
  CreditEntry,
  Customer,
  GetBankTransferResponse,
  GetCreditsResponse,
  GetProfileResponse,
  Invoice,
  Invoice_Kind,
  Invoice_Status,
  InvoiceItem,
  ItemConfig,
  Money,
  PayInvoiceRequest,
  PayInvoiceResponse,
  Payment,
  PendingPayment,
  PriceChange,
  PlaceEvidence,
  PlaceEvidence_Source,
  Plan_Interval,
  RedeemGiftCodeResponse,
  Seller,
  Service,
  Service_Status,
  StoredMethod,
  TaxLine,
  TaxStatus,
  TaxStatus_VatState,
  TaxTreatment,
} from '@panel/protos/billing';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';
import { money, moneyBody } from './money.js';

export const interval = is.word('interval', Plan_Interval);

const customer = resource(Customer, '', {
  name: is.text('name').settable(z.string().max(200)),
  email: is.text('email'),
  company: is.text('company').settable(z.string().max(200)),
  address: is.text('address').settable(z.string().max(500)),
  country: is.text('country').settable(z.string().max(20).describe('ISO 3166-1 alpha-2; decides the tax rate')),
  vat_number: is.text('vatNumber').settable(z.string().max(30)),
  buyer_reference: is
    .text('buyerReference')
    .settable(z.string().max(100).describe('Leitweg-ID or the like, for electronic invoices; empty: none')),
});

const taxStatus = resource(TaxStatus, '', {
  vat_state: is.word('vatState', TaxStatus_VatState, { unspecified: 'none' }),
  vat_consultation: is.textOrNull('vatConsultation', 'number of the check at VIES'),
  vat_checked_at: is.timeOrNull('vatCheckTime'),
  tax_exemption: is.textOrNull('taxExemption', 'why staff have exempted the customer from tax'),
});

export const profile = resource(GetProfileResponse, 'BillingProfile', {
  ...is.within('customer', customer),
  ...is.within('tax', taxStatus, TaxStatus.create()),
});

export const profileChanges = customer;

const seller = resource(Seller, '', {
  name: is.text('name'),
  address: is.text('address'),
  vat_number: is.text('vatNumber'),
  other_vat_numbers: is.textOrNull('otherVatNumbers', 'of further registrations, separated by commas'),
});

const item = resource(InvoiceItem, '', {
  description: is.text('description'),
  service_id: is.uuidOrNull('serviceId'),
  quantity: is.int('quantity'),
  unit_price: is.part('unitPrice', money),
  setup_fee: is.part('setupFee', money),
  discount: is.part('discount', money),
  net: is.part('net', money),
  tax: is.part('tax', money),
  total: is.part('total', money),
  period_start: is.timeOrNull('periodStartTime'),
  period_end: is.timeOrNull('periodEndTime'),
});

const payment = resource(Payment, '', {
  id: is.text('id', 'also one of the gateway: `stripe:…`'),
  method: is.text('method'),
  amount: is.part('amount', money),
  reference: is.text('reference'),
  created_at: is.time('createTime'),
});

const priceChange = resource(PriceChange, '', {
  price: is.part('price', money),
  starts_at: is.time('startTime'),
});

const pendingPayment = resource(PendingPayment, '', {
  method: is.text('method'),
  amount: is.part('amount', money),
  created_at: is.time('createTime'),
});

export const taxTreatment = is.word('taxTreatment', TaxTreatment, { unspecified: 'standard' });

export const taxLine = resource(TaxLine, '', {
  rate: is.computed(z.number().describe('percent'), ({ rateBasisPoints }: TaxLine) => rateBasisPoints / 100),
  net: is.part('net', money),
  tax: is.part('tax', money),
  total: is.part('total', money),
});

const placeEvidence = resource(PlaceEvidence, '', {
  source: is.word('source', PlaceEvidence_Source),
  country: is.text('country'),
});

export const invoice = resource(Invoice, 'Invoice', {
  id: is.uuid('id'),
  number: is.textOrNull('number'),
  kind: is.word('kind', Invoice_Kind),
  status: is.word('status', Invoice_Status),
  user_id: is.uuid('userId'),
  order_id: is.uuidOrNull('orderId'),
  corrects_invoice_id: is.uuidOrNull('correctsInvoiceId'),
  items: is.parts('items', item),
  subtotal: is.part('subtotal', money),
  discount: is.part('discount', money),
  tax: is.part('tax', money),
  total: is.part('total', money),
  tax_rate: is.computed(z.number().describe('percent'), ({ taxRateBasisPoints }: Invoice) => taxRateBasisPoints / 100),
  tax_inclusive: is.flag('taxInclusive'),
  tax_treatment: taxTreatment,
  tax_country: is.textOrNull('taxCountry', 'whose rate it is'),
  tax_reason: is.textOrNull('taxReason', 'of `exempt`'),
  vat_consultation: is.textOrNull('vatConsultation', 'of `reverse_charge`: number of the check at VIES'),
  vat_checked_at: is.timeOrNull('vatCheckTime'),
  taxes: is.parts('taxes', taxLine, 'sums by rate'),
  place_evidence: is.parts('placeEvidence', placeEvidence, 'where the customer is, under the tax scheme eu'),
  place_conflict: is.flag('placeConflict', 'whether it names different countries'),
  customer: is.part('customer', customer),
  seller: is.part('seller', seller),
  payments: is.parts('payments', payment),
  pending_payment: is.partOrNull('pendingPayment', pendingPayment, 'accepted by a gateway, and not booked yet'),
  refunded: is.part('refunded', money),
  issued_at: is.time('issueTime'),
  due_at: is.time('dueTime'),
  paid_at: is.timeOrNull('paidTime'),
  created_at: is.time('createTime'),
});

export const itemConfig = resource(ItemConfig, '', {
  server_name: is.text('serverName').settable(z.string().max(191), ''),
  environment: is.plain('environment', z.record(z.string(), z.string())).settable(z.record(z.string(), z.string()), {}),
});

export const service = resource(Service, 'Service', {
  id: is.uuid('id'),
  user_id: is.uuid('userId'),
  order_id: is.uuid('orderId'),
  product: is.group(resource(Service, '', { id: is.uuid('productId'), name: is.text('productName') })),
  plan: is.group(resource(Service, '', { id: is.uuid('planId'), name: is.text('planName') })),
  status: is.word('status', Service_Status),
  suspend_reason: is.emptyForNull(
    'suspendReason',
    z.enum(['operator', 'dispute', 'debt', 'no_user', 'overdue', 'balance']),
  ),
  server_id: is.uuidOrNull('serverId'),
  price: is.part('price', money),
  interval: is.oneOf('interval', interval.shown.schema.options),
  interval_count: is.int('intervalCount'),
  price_change: is.partOrNull('priceChange', priceChange, 'that its customer knows in advance'),
  next_due_at: is.timeOrNull('nextDueTime'),
  cancel_at_period_end: is.flag('cancelAtPeriodEnd'),
  config: is.part('config', itemConfig),
  error: is.failureOrNull('error', 'why the last attempt on the server failed'),
  attempts: is.int('attempts'),
  next_attempt_at: is.timeOrNull('nextAttemptTime'),
  created_at: is.time('createTime'),
  ended_at: is.timeOrNull('endTime'),
});

export const creditEntry = resource(CreditEntry, '', {
  id: is.text('id'),
  amount: is.part('amount', money),
  reason: is.text('reason'),
  reference: is.textOrNull('reference'),
  created_at: is.time('createTime'),
});

const balance = resource(Money, '', {
  balance: is.int('amountMinor', 'in minor units'),
  currency: is.text('currency'),
});

const promotional = resource(Money, '', {
  promotional: is.int('amountMinor', 'of the balance: granted, spent first, never refunded to a card'),
});

export const credits = resource(GetCreditsResponse, 'Credits', {
  ...is.within('balance', balance),
  ...is.within('promotional', promotional),
  entries: is.parts('entries', creditEntry),
});

export const redeemBody = z.strictObject({
  code: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .meta({
      description: 'case, spaces and hyphens do not count',
      examples: ['7QK2-M8DV-X4TN-P0RW'],
    }),
});

export const redeemed = resource(RedeemGiftCodeResponse, '', {
  entry: is.part('entry', creditEntry),
  ...is.within('balance', balance),
});

const method = z.string().min(1).max(50).describe('credits, manual, or a gateway: GET /billing/payment-methods');

/** Of paying requests. */
export const paymentFields = {
  payment_method: is.given('paymentMethod', method),
  return_url: is.given('returnUrl', z.string().max(1000).default('').describe("on the panel's own address")),
  save_payment_method: is.given('savePaymentMethod', z.boolean().default(false)),
  use_credits: is.given(
    'useCredits',
    z.boolean().default(false).describe('first, as far as they go; a gateway takes the rest'),
  ),
};

export const pay = resource(PayInvoiceRequest, '', paymentFields);

/** Also for bought credits. */
export const paidInvoice = resource(PayInvoiceResponse, '', {
  invoice: is.part('invoice', invoice),
  payment_url: is.textOrNull('paymentUrl'),
});

export const bankTransfer = resource(GetBankTransferResponse, 'BankTransfer', {
  account_holder: is.text('accountHolder'),
  iban: is.textOrNull('iban'),
  bic: is.textOrNull('bic'),
  instructions: is.textOrNull('instructions'),
  amount: is.part('amount', money),
  reference: is.text('reference', 'to be named in the transfer'),
  due_at: is.time('dueTime'),
  qr_code: is.textOrNull('qrCode', 'an EPC QR code as an SVG data URL, which banking apps read; for euros and an IBAN'),
});

export const buyCreditsBody = z.strictObject({
  amount: moneyBody.describe('minor units, in the currency of the shop'),
  payment_method: method.meta({
    description: 'manual, or a gateway: GET /billing/payment-methods',
    examples: ['manual'],
  }),
  return_url: paymentFields.return_url.setting.inCreate,
});

export const changePlan = resource(ChangePlanRequest, '', {
  product_id: is.given('productId', z.uuid().or(z.literal('')).default('')),
  plan_id: is.given('planId', z.uuid()),
  payment_method: is.given('paymentMethod', method.default('credits')),
});

export const changedPlan = resource(ChangePlanResponse, '', {
  service: is.part('service', service),
  invoice_id: is.uuidOrNull('invoiceId'),
  prorated: is.part('prorated', money, 'negative: what was credited'),
  payment_url: is.textOrNull('paymentUrl'),
});

export const cancelQuery = z.object({
  immediately: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .prefault('false')
    .describe('true: at once, not at the end of the period'),
});

export const paymentMethods = z.strictObject({ methods: z.array(z.string()) });

export const storedMethod = resource(StoredMethod, '', {
  id: is.uuid('id'),
  gateway: is.text('gateway'),
  label: is.text('label'),
  created_at: is.time('createTime'),
});

/** Data or document; in the query, as links cannot set Accept. */
export const documentQuery = z.object({
  format: z
    .enum(['json', 'html', 'pdf', 'xml'])
    .prefault('json')
    .describe('a document instead of JSON; XML by EN 16931, or XRechnung for customers with a buyer reference'),
});
