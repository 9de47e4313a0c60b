import type { Failpoint, Jobs, Logger } from '@panel/kit/process';
import type { Client } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { OrderStore } from '../models/order.js';
import type { SubscriptionStore } from '../models/subscription.js';

export interface ProvisioningDeps {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly failpoint: Failpoint;
  readonly subscriptions: SubscriptionStore;
  readonly orders: Pick<OrderStore, 'changeStatus'>;
  readonly servers: Pick<
    Client<typeof ServerServiceService>,
    'createServer' | 'updateServer' | 'deleteServer' | 'suspendServer' | 'unsuspendServer'
  >;
  readonly attempt: Jobs['attempt'];
}
