import type { Logger } from '@panel/kit/process';
import type { OutboxMetrics } from '@panel/outbox';
import type { MailServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';
import type { CustomerDirectory } from '../customers/load-customers.js';
import type { InvoiceDocuments } from '../documents/invoice-documents.js';
import type { CreditStore } from '../models/account.js';
import type { InvoiceStore } from '../models/invoice.js';
import type { SubscriptionStore } from '../models/subscription.js';
import type { SettingsSource } from '../settings/settings-reader.js';

export interface MailDeps {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly invoices: Pick<InvoiceStore, 'get' | 'outbox'>;
  readonly subscriptions: Pick<SubscriptionStore, 'get' | 'outbox'>;
  readonly credits: Pick<CreditStore, 'balance'>;
  readonly users: CustomerDirectory;
  readonly documents: InvoiceDocuments;
  readonly settings: SettingsSource;
  readonly mail: Pick<Client<typeof MailServiceService>, 'enqueueMail'>;
  readonly outboxMetrics: OutboxMetrics;
}
