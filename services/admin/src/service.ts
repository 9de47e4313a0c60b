import type { RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import type { AdminConfig } from './config.js';
import { type AdminOverrides, createContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { openTestClock } from './test-clock/open-test-clock.js';
import { migrations } from './models/migrations/index.js';
import type { ClockKeeper } from './test-clock/clock-keeper.js';
import { sendDueMails } from './mail/send-due-mails.js';

const mailIntervalMs = 1_000;

export async function startAdmin(config: AdminConfig, overrides: AdminOverrides = {}): Promise<RunningProcess> {
  const opened: { testClock: ClockKeeper | null } = { testClock: null };
  return startService({
    name: 'admin',
    config,
    migrations,
    log: overrides.log,
    clockSource: async (mongo) => (opened.testClock = await openTestClock(mongo, config.testClock)),
    build: async (base) => {
      const context = createContext(config, { ...base, ...opened }, overrides);
      return {
        services: createHandlers(context),
        jobs: [
          { name: 'send-mails', intervalMs: mailIntervalMs, run: async (signal) => sendDueMails(context, signal) },
          ...(opened.testClock ? [opened.testClock.asJob()] : []),
        ],
      };
    },
  });
}
