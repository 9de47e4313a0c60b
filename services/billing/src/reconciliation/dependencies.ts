import type { Client } from '@panel/rpc';
import type { EggServiceService, ServerServiceService } from '@panel/protos/servers';
import type { DiscrepancyStore } from '../models/discrepancy.js';
import type { PaymentEventStore } from '../models/payment-event.js';
import type { GiftCodeStore } from '../models/gift-code.js';
import type { JournalStore } from '../models/journal.js';
import type { ProductStore } from '../models/product.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';

export interface ReconciliationDeps extends SubscriptionDeps {
  readonly products: Pick<ProductStore, 'stock' | 'onSaleByEgg'>;
  readonly paymentEvents: Pick<PaymentEventStore, 'withErrors'>;
  readonly discrepancies: DiscrepancyStore;
  readonly giftCodes: Pick<GiftCodeStore, 'getMany'>;
  readonly journal: Pick<JournalStore, 'sums' | 'creditsOf' | 'postedSince'>;
  readonly servers: Pick<Client<typeof ServerServiceService>, 'getServer' | 'listServers' | 'reinstallServer'>;
  readonly eggs: Pick<Client<typeof EggServiceService>, 'getEgg'>;
}
