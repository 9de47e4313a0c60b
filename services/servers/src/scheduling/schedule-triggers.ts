import type { TaskGroup } from '@panel/kit/process';
import { type EventTriggerKind, minEventIntervalMs, type Schedule } from '../domain/schedules/schedule.js';
import type { ScheduleStore } from '../models/schedules/schedule.js';
import type { WebhookSigner } from './webhook.js';

/** Makes schedules due at events of their servers. */
export interface ScheduleTriggers {
  /** In the background; failures are logged. */
  fire(serverId: string, kind: EventTriggerKind): void;
  /** For a webhook. Same result with and without such a schedule. */
  call(scheduleId: string, signature: string): Promise<void>;
}

interface ScheduleTriggersDeps {
  readonly schedules: Pick<ScheduleStore, 'get' | 'trigger' | 'triggerWebhook'>;
  readonly webhooks: WebhookSigner;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
}

/** Replaces a missing schedule: equal response time. */
const nobody: Pick<Schedule, 'id' | 'webhookNonce'> = { id: '', webhookNonce: '' };

export function createScheduleTriggers({ schedules, webhooks, tasks, clock }: ScheduleTriggersDeps): ScheduleTriggers {
  const notSince = (at: Date) => new Date(at.getTime() - minEventIntervalMs);
  return {
    fire: (serverId, kind) =>
      tasks.run('trigger schedules', async () => {
        const at = clock();
        await schedules.trigger(serverId, kind, at, notSince(at));
      }),
    call: async (scheduleId, signature) => {
      const schedule = await schedules.get(scheduleId);
      const isSigned = webhooks.isSigned(schedule ?? nobody, signature);
      if (!schedule || !isSigned) return;
      // Not awaited: the response time reveals nothing.
      tasks.run('trigger schedule', async () => {
        const at = clock();
        await schedules.triggerWebhook(schedule.id, schedule.webhookNonce, at, notSince(at));
      });
    },
  };
}
