import type { ProfileStore } from '../models/profile.js';
import type { StoredMethodStore } from '../models/stored-method.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';

export interface RenewalDeps extends SubscriptionDeps {
  readonly profiles: Pick<ProfileStore, 'get' | 'getMany'>;
  readonly storedMethods: Pick<StoredMethodStore, 'ofUser' | 'owners'>;
}
