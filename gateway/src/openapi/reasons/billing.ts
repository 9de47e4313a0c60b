import type { GeneralReason } from './general.js';
import { conflict, type EndpointReasons, type ReasonEntries, retry, retryLater } from './reason.js';

/** Reasons of the store and of billing. */
export const billingReasons = {
  product_slug_taken: conflict('another product has this slug', 'take another slug'),
  product_in_use: conflict('services of the product have not ended', 'hide the product instead'),
  coupon_code_taken: conflict('another coupon has this code', 'take another code'),
  gift_code_taken: conflict('there is a gift code with this code', 'take another code'),
  gift_code_redeemed: conflict('you have redeemed this gift code', 'take another code'),
  gift_codes_unrecoverable: conflict(
    'the codes were created and cannot be shown any more',
    'delete them and create others',
  ),
  cart_full: conflict('the cart holds as much as it can', 'buy what is in it first'),
  cart_changed: conflict('the cart was bought or changed by another request', 'read the cart again'),
  checkout_in_progress: conflict('the cart is being bought', retryLater),
  checkout_interrupted: conflict('the purchase took too long; nothing was charged', retry),
  order_paid: conflict('the order is paid', 'end its service instead'),
  e_invoice_unavailable: conflict(
    'the invoice is not issued, void, or lacks what EN 16931 needs of the seller',
    'take another format, or ask the operator for `e_invoice`',
  ),
  invoice_not_payable: conflict('the invoice is paid or void', 'read the invoice again'),
  payment_pending: conflict('a payment gateway has accepted another payment of it', 'wait until it is booked'),
  bank_transfer_not_set_up: conflict('the settings name no bank account', 'pay another way, or ask the operator'),
  invoice_not_paid: conflict('the invoice is not paid', 'read the invoice again'),
  invoice_busy: conflict('another payment or refund of it is in progress', retryLater),
  invoice_open: conflict('an invoice of the service is open', 'pay it first'),
  service_ended: conflict('the service has ended', 'buy it again'),
  service_not_active: conflict('the service is not active', 'read the service again'),
  service_changed: conflict('the service was changed at the same moment', retry),
  change_pending: conflict('a change of its plan waits for payment', 'pay or cancel its invoice first'),
  currency_not_supported: conflict('the payment gateway does not take this currency', 'pay another way'),
  amount_not_representable: conflict('the payment gateway cannot take this amount', 'pay another way'),
  gateway_rejected: conflict('the payment gateway has refused', 'pay another way, or begin again'),
  payment_mismatch: conflict('what was paid is not what the invoice asks for', 'tell the operator'),
  report_too_large: conflict('the report has too many rows, or takes too long', 'narrow it as its message says'),
} satisfies ReasonEntries;

type Name = keyof typeof billingReasons | GeneralReason;

/** What booking a payment may meet. */
const books = ['invoice_busy', 'invoice_not_payable', 'invoice_not_paid', 'service_changed'] as const;
/** What paying at a gateway may meet, which also hears of earlier payments. */
const pays = [
  ...books,
  'currency_not_supported',
  'amount_not_representable',
  'gateway_rejected',
  'payment_mismatch',
] as const;

export const billingEndpoints: EndpointReasons<Name> = {
  'POST /api/v1/store/cart': ['cart_full'],
  'POST /api/v1/store/checkout': [...pays, 'cart_changed', 'checkout_in_progress', 'checkout_interrupted'],
  'POST /api/v1/billing/invoices/{id}/pay': [...pays, 'payment_pending'],
  'GET /api/v1/billing/invoices/{id}': ['e_invoice_unavailable'],
  'GET /api/v1/billing/invoices/{id}/bank-transfer': ['invoice_not_payable', 'bank_transfer_not_set_up'],
  'DELETE /api/v1/billing/orders/{id}': ['order_paid', 'invoice_busy', 'invoice_not_payable', 'service_changed'],
  'DELETE /api/v1/billing/services/{id}': ['invoice_busy', 'invoice_not_payable', 'service_changed'],
  'POST /api/v1/billing/services/{id}/resume': ['service_ended'],
  'POST /api/v1/billing/services/{id}/plan': [...pays, 'change_pending', 'invoice_open', 'service_not_active'],
  'POST /api/v1/billing/credits': pays,
  'POST /api/v1/billing/gift-codes/redeem': ['gift_code_redeemed'],
  'POST /api/v1/billing/webhooks/stripe': pays,
  'POST /api/v1/billing/webhooks/paypal': pays,
  'POST /api/v1/billing/webhooks/mollie': pays,
  'POST /api/v1/admin/billing/products': ['product_slug_taken', 'creation_deleted'],
  'PUT /api/v1/admin/billing/products/{id}': ['product_slug_taken'],
  'DELETE /api/v1/admin/billing/products/{id}': ['product_in_use'],
  'PUT /api/v1/admin/billing/invoices/{id}': ['invoice_busy', 'invoice_not_payable', 'service_changed'],
  'POST /api/v1/admin/billing/invoices/{id}/refund': [
    ...books,
    'currency_not_supported',
    'amount_not_representable',
    'gateway_rejected',
  ],
  'POST /api/v1/admin/billing/bank-statements': ['invoice_busy', 'service_changed'],
  'GET /api/v1/admin/billing/reports/receivables': ['report_too_large'],
  'GET /api/v1/admin/billing/reports/payments': ['report_too_large'],
  'PUT /api/v1/admin/billing/services/{id}': [
    'invoice_busy',
    'invoice_not_payable',
    'service_changed',
    'service_ended',
    'service_not_active',
  ],
  'POST /api/v1/admin/billing/coupons': ['coupon_code_taken', 'creation_deleted'],
  'PUT /api/v1/admin/billing/coupons/{id}': ['coupon_code_taken'],
  'POST /api/v1/admin/billing/gift-codes': ['gift_code_taken', 'gift_codes_unrecoverable', 'creation_deleted'],
};
