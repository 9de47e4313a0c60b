import { waitUntil } from '@panel/kit/testing';
import {
  CreateScheduleRequest,
  type Schedule,
  ScheduleRun_Status,
  ScheduleTask,
  ScheduleTask_Action,
} from '@panel/protos/servers';
import type { Overrides } from '../../src/orchestrator/overrides.js';
import type { BackupRequest } from '../../src/scheduling/dependencies.js';
import type { Clients } from './harness.js';

export const everyMinute = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };

export function command(payload: string, changes: Partial<ScheduleTask> = {}): ScheduleTask {
  return ScheduleTask.create({ action: ScheduleTask_Action.COMMAND, payload, ...changes });
}

export function power(payload: string, changes: Partial<ScheduleTask> = {}): ScheduleTask {
  return ScheduleTask.create({ action: ScheduleTask_Action.POWER, payload, ...changes });
}

export function backup(payload = '', changes: Partial<ScheduleTask> = {}): ScheduleTask {
  return ScheduleTask.create({ action: ScheduleTask_Action.BACKUP, payload, ...changes });
}

/** Default: every minute. */
export function scheduleRequest(serverId: string, changes: Partial<CreateScheduleRequest> = {}): CreateScheduleRequest {
  return CreateScheduleRequest.create({ serverId, name: 'a schedule', cron: everyMinute, ...changes });
}

export async function createSchedule(
  clients: Clients,
  serverId: string,
  changes: Partial<CreateScheduleRequest> = {},
): Promise<Schedule> {
  const { schedule } = await clients.schedules.createSchedule(scheduleRequest(serverId, changes));
  if (!schedule) throw new Error('no schedule in the answer');
  return schedule;
}

export async function getSchedule(clients: Clients, { serverId, id }: Schedule): Promise<Schedule> {
  const { schedule } = await clients.schedules.getSchedule({ serverId, scheduleId: id });
  if (!schedule) throw new Error('no schedule in the answer');
  return schedule;
}

/** Waits for `count` ended runs. */
export async function untilRuns(clients: Clients, schedule: Schedule, count: number): Promise<Schedule> {
  return waitUntil(`${count} runs`, async () => {
    const current = await getSchedule(clients, schedule);
    const ended = current.runs.filter(({ status }) => status !== ScheduleRun_Status.RUNNING);
    return ended.length >= count ? current : undefined;
  });
}

/** Test context of schedules: a movable clock, counted backups. */
export class ScheduleDoubles {
  #offsetMs = 0;
  #frozenAt: number | undefined;
  readonly backups: BackupRequest[] = [];
  /** A backup task ends after it. */
  backupGate: Promise<void> | undefined;
  /** Counted, by server. */
  readonly commands = new Map<string, number>();
  limit = 1_000_000;
  /** Replaces identity's answers. */
  readonly permissions = new Map<string, readonly string[]>();

  advance(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }

  /** From now on time passes by `advance` only: a slow machine begins no minute by itself. */
  freeze(): void {
    this.#frozenAt = Date.now();
  }

  now(): Date {
    return new Date((this.#frozenAt ?? Date.now()) + this.#offsetMs);
  }

  overrides(): Overrides {
    return {
      clock: () => this.now(),
      commandLimiter: {
        countCommand: async (serverId) => {
          const used = (this.commands.get(serverId) ?? 0) + 1;
          this.commands.set(serverId, used);
          return { limit: this.limit, used, resetsAt: Date.now() + 60_000 };
        },
        close: () => undefined,
      },
      startBackup: async (request) => {
        this.backups.push(request);
        await this.backupGate;
      },
      holdsPermission: async (server, userId, permission) =>
        this.permissions.get(userId)?.includes(permission) ?? userId === server.userId,
    };
  }
}
