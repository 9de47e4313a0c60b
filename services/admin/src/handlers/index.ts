import type { ServedService } from '@panel/rpc';
import type { AdminContext } from '../context.js';
import { createActivityService } from './activity/index.js';
import { createMailService } from './mail/index.js';
import { createSettingsService } from './settings/index.js';
import { createTestClockService } from './test-clock/index.js';

export function createHandlers(context: AdminContext): ServedService[] {
  return [
    createSettingsService(context),
    createMailService(context),
    createActivityService(context),
    createTestClockService(context),
  ];
}
