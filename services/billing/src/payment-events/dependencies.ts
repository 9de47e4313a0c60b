import type { PaymentEventStore } from '../models/payment-event.js';
import type { PaymentSessionStore } from '../models/payment-session.js';
import type { StoredMethodStore } from '../models/stored-method.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';

export interface PaymentEventDeps extends SubscriptionDeps {
  readonly paymentEvents: PaymentEventStore;
  readonly paymentSessions: PaymentSessionStore;
  readonly storedMethods: Pick<StoredMethodStore, 'ofUser' | 'insertIfAbsent'>;
}
