import type { Failpoint, Jobs, Logger } from '@panel/kit/process';
import type { WokenJob } from '../domain/job-names.js';
import type { CustomerDirectory } from '../customers/load-customers.js';
import type { CreditStore } from '../models/account.js';
import type { InvoiceStore } from '../models/invoice.js';
import type { OrderStore } from '../models/order.js';
import type { ProfileStore } from '../models/profile.js';
import type { StoredMethodStore } from '../models/stored-method.js';
import type { SubscriptionStore } from '../models/subscription.js';
import type { PaymentGateways } from '../payments/payment-gateway.js';
import type { SettingsSource } from '../settings/settings-reader.js';
import type { InvoiceNumbers } from './assign-numbers.js';

export interface InvoicingDeps {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly failpoint: Failpoint;
  readonly settings: SettingsSource;
  readonly users: CustomerDirectory;
  readonly invoices: InvoiceStore;
  readonly numbers: InvoiceNumbers;
  readonly subscriptions: SubscriptionStore;
  readonly orders: Pick<OrderStore, 'changeStatus'>;
  readonly profiles: Pick<ProfileStore, 'get'>;
  readonly credits: CreditStore;
  readonly storedMethods: Pick<StoredMethodStore, 'ofUser'>;
  readonly gateways: PaymentGateways;
  readonly attempt: Jobs['attempt'];
  readonly runJob: (job: WokenJob) => void;
}
