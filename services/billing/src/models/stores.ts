import { createWindowCounter, type MongoConnection } from '@panel/kit/mongo';
import { createCreditStore } from './account.js';
import { createCartStore } from './cart.js';
import { createCounterStore } from './counter.js';
import { createCouponStore } from './coupon.js';
import { createDiscrepancyStore } from './discrepancy.js';
import { createGiftCodeStore } from './gift-code.js';
import { createInvoiceStore } from './invoice.js';
import { createJournalStore } from './journal.js';
import { createJournalReportStore } from './journal-report.js';
import { createOrderStore } from './order.js';
import { createPaymentEventStore } from './payment-event.js';
import { createPaymentSessionStore } from './payment-session.js';
import { createProductStore } from './product.js';
import { createProfileStore } from './profile.js';
import { createReportStore } from './report.js';
import { createRevenueScheduleStore } from './revenue-schedule.js';
import { createSequenceStore } from './sequence.js';
import { createStoredMethodStore } from './stored-method.js';
import { createSubscriptionStore } from './subscription.js';
import { createUsageChargeStore } from './usage-charge.js';

export type BillingStores = ReturnType<typeof createStores>;

export function createStores(mongo: MongoConnection) {
  const journal = createJournalStore(mongo);
  return {
    products: createProductStore(mongo),
    coupons: createCouponStore(mongo),
    giftCodes: createGiftCodeStore(mongo),
    counters: createCounterStore(mongo),
    carts: createCartStore(mongo),
    profiles: createProfileStore(mongo),
    orders: createOrderStore(mongo),
    invoices: createInvoiceStore(mongo),
    subscriptions: createSubscriptionStore(mongo),
    credits: createCreditStore(mongo, journal),
    journal,
    journalReports: createJournalReportStore(mongo),
    revenueSchedules: createRevenueScheduleStore(mongo),
    sequences: createSequenceStore(mongo),
    couponAttempts: createWindowCounter(mongo, 'coupon_attempts'),
    paymentEvents: createPaymentEventStore(mongo),
    paymentSessions: createPaymentSessionStore(mongo),
    storedMethods: createStoredMethodStore(mongo),
    usageCharges: createUsageChargeStore(mongo),
    discrepancies: createDiscrepancyStore(mongo),
    reports: createReportStore(mongo),
  };
}
