import type { BlockList } from 'node:net';
import { createWindowCounter, type WindowCounter } from '@panel/kit/mongo';
import { parseAddressRanges } from '@panel/kit/net';
import type { Logger } from '@panel/kit/process';
import type { ServiceBase } from '@panel/rpc';
import type { AdminConfig } from './config.js';
import { createSecretBox, type SecretBox } from './crypto/secret-box.js';
import { type ActivityStore, createActivityStore } from './models/activity.js';
import { createMailQueue, type MailQueue } from './models/mail-queue.js';
import { createSettingsStore, type SettingsStore } from './models/settings.js';
import type { ClockKeeper } from './test-clock/clock-keeper.js';
import type { ShownMail } from './domain/mail.js';

export interface AdminContext {
  readonly log: Logger;
  /** Movable in tests. */
  readonly clock: () => Date;
  /** Real time. */
  readonly systemClock: () => Date;
  /** Null: off. */
  readonly testClock: ClockKeeper | null;
  readonly settings: SettingsStore;
  readonly mailQueue: MailQueue;
  readonly activity: ActivityStore;
  readonly box: SecretBox;
  /** Development: receives mails of the driver `log`. Null: not shown. */
  readonly showMail: ((mail: ShownMail) => void) | null;
  /** Internal addresses allowed for mail servers. */
  readonly allowedMailAddresses: BlockList;
  /** Per user. */
  readonly testMails: WindowCounter;
}

export type AdminOverrides = Partial<Pick<AdminContext, 'clock' | 'log' | 'showMail'>>;

/** On an open database. */
export function createContext(
  config: AdminConfig,
  base: Pick<ServiceBase, 'mongo' | 'log' | 'clock' | 'systemClock'> & Pick<AdminContext, 'testClock'>,
  overrides: AdminOverrides = {},
): AdminContext {
  return {
    log: overrides.log ?? base.log,
    clock: overrides.clock ?? base.clock,
    systemClock: base.systemClock,
    testClock: base.testClock,
    settings: createSettingsStore(base.mongo, config.panelUrl),
    mailQueue: createMailQueue(base.mongo),
    activity: createActivityStore(base.mongo),
    box: createSecretBox(config.serviceSecret),
    showMail: overrides.showMail ?? null,
    allowedMailAddresses: parseAddressRanges(config.smtpAllowedAddresses),
    testMails: createWindowCounter(base.mongo, 'test_mails'),
  };
}
