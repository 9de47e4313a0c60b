import type { Client } from '@panel/rpc';
import type { UsageServiceService } from '@panel/protos/servers';
import type { UsageChargeStore } from '../models/usage-charge.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';

export interface MeteringDeps extends SubscriptionDeps {
  readonly usage: Pick<Client<typeof UsageServiceService>, 'listHourlyUsage'>;
  readonly usageCharges: UsageChargeStore;
}
