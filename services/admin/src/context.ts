import type { Logger } from '@panel/kit';
import type { ServiceBase } from '@panel/rpc';
import type { AdminConfig } from './config.js';
import { createSecretBox, type SecretBox } from './domain/secret-box.js';
import { type ActivityStore, createActivityStore } from './models/activity.js';
import { createOutbox, type Outbox } from './models/outbox.js';
import { createSettingsStore, type SettingsStore } from './models/settings.js';

/** What the handlers and the mail worker hold. */
export interface AdminContext {
  readonly log: Logger;
  readonly settings: SettingsStore;
  readonly outbox: Outbox;
  readonly activity: ActivityStore;
  readonly box: SecretBox;
  readonly now: () => Date;
}

export function createContext(
  base: Pick<ServiceBase, 'mongo' | 'log'>,
  config: AdminConfig,
  now: () => Date = () => new Date(),
): AdminContext {
  return {
    log: base.log,
    settings: createSettingsStore(base.mongo, config.panelUrl),
    outbox: createOutbox(base.mongo),
    activity: createActivityStore(base.mongo),
    box: createSecretBox(config.serviceSecret),
    now,
  };
}
