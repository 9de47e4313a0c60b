import { RoleServiceService, UserServiceService } from '@panel/protos/identity';
import type { ServersContext } from '../context.js';
import { createHoldsPermission } from '../scheduling/author-permissions.js';
import { PlayerWatch } from '../scheduling/player-watch.js';
import { ScheduleRunner } from '../scheduling/schedule-runner.js';
import { createScheduleTriggers } from '../scheduling/schedule-triggers.js';
import { createWebhookSigner } from '../scheduling/webhook.js';
import { createStartBackup } from '../usecases/backups/scheduled-backup.js';
import { requestPowerAction } from '../usecases/power/send-power-action.js';
import { writeCommand } from '../usecases/power/send-command.js';
import type { Foundation } from './foundation.js';

/** Events, console lines and webhooks. */
export function createTriggerRooms({ config, stores, tasks, installationClock: clock }: Foundation) {
  const { schedules } = stores;
  const webhooks = createWebhookSigner(config.serviceSecret);
  return {
    webhooks,
    triggers: createScheduleTriggers({ schedules, webhooks, tasks, clock }),
    players: new PlayerWatch({ schedules, tasks, clock }),
  };
}

/** Tasks act as API requests. */
export function createScheduleRooms(
  { config, overrides, ...parts }: Foundation,
  held: Pick<ServersContext, 'power' | 'runtimes' | 'operations' | 'commandLimiter'>,
) {
  const { stores, files, activity, tasks, attempt, failpoint, clock, log, identity } = parts;
  const { backupsPerMinute } = config;
  const users = identity.client(UserServiceService);
  const roles = identity.client(RoleServiceService);
  const deps = { ...held, stores, clock };
  const backupDeps = { ...deps, files, activity, failpoint, backupsPerMinute };
  const runner = new ScheduleRunner({
    stores,
    commandLimiter: held.commandLimiter,
    startBackup: overrides.startBackup ?? createStartBackup(backupDeps),
    requestPower: async (server, action) => requestPowerAction(deps, server, action),
    sendCommand: async (server, command) => writeCommand(deps, server, command),
    holdsPermission: overrides.holdsPermission ?? createHoldsPermission({ users, roles }),
    activity,
    tasks,
    attempt,
    failpoint,
    clock: parts.installationClock,
    reached: parts.base.reached,
    log,
  });
  return { runner };
}
