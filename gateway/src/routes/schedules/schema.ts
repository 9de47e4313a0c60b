import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { singleLine } from '../../declaration/text.js';

const triggerKinds = ['cron', 'server_started', 'server_crashed', 'players_empty', 'backup_failed', 'webhook'] as const;
const taskActions = ['command', 'power', 'backup'] as const;

const cronFields = {
  minute: z.string().min(1).max(100),
  hour: z.string().min(1).max(100),
  day_of_month: z.string().min(1).max(100),
  month: z.string().min(1).max(100),
  day_of_week: z.string().min(1).max(100),
};

const result = z.strictObject({
  sequence: z.int().describe('of the task, from 1'),
  action: z.enum(taskActions),
  status: z
    .enum(['succeeded', 'failed', 'interrupted'])
    .describe('interrupted: whether it was carried out is not known'),
  error: z.string().nullable(),
  ended_at: time,
});

const run = z.strictObject({
  id: z.uuid(),
  status: z.enum(['running', 'succeeded', 'failed', 'skipped']),
  cause: z.enum(['trigger', 'manual']),
  started_at: time,
  ended_at: time.nullable(),
  error: z.string().nullable(),
  tasks: z.array(result).describe('results so far'),
});

export const schedule = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    cron: z.strictObject(cronFields),
    timezone: z.string().describe('IANA name'),
    is_active: z.boolean(),
    only_when_online: z.boolean(),
    trigger: z.strictObject({
      kind: z.enum(triggerKinds),
      empty_minutes: z.int().nullable(),
      join_pattern: z.string().nullable(),
      leave_pattern: z.string().nullable(),
    }),
    author_id: z.uuid().describe('user with whose permissions the tasks run'),
    last_run_at: time.nullable(),
    next_run_at: time.nullable(),
    tasks: z.array(
      z.strictObject({
        id: z.uuid(),
        sequence: z.int().describe('from 1'),
        action: z.enum(taskActions),
        payload: z.string(),
        time_offset: z.int().describe('seconds after the task before'),
        continue_on_failure: z.boolean(),
      }),
    ),
    runs: z.array(run).describe('the last 10, newest first'),
    webhook_url: z
      .string()
      .nullable()
      .describe('path with signature; only of the trigger webhook, for callers with schedule.update'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule' });

const task = z.strictObject({
  id: z.uuid().optional().describe('of the task to keep'),
  sequence: z.int().optional().describe('the place in the list; the list decides'),
  action: z.enum(taskActions),
  payload: z
    .string()
    .max(20_000)
    .default('')
    .meta({
      description: 'console line; start, stop, restart or kill; ignored files, one a line',
      examples: ['say hello'],
    }),
  time_offset: z.int().min(0).max(900).default(0).describe('seconds after the task before'),
  continue_on_failure: z.boolean().default(false),
});

const tasks = z
  .array(task)
  .max(10)
  .superRefine((list, context) => {
    for (const [index, { sequence }] of list.entries()) {
      if (sequence === undefined || sequence === index + 1) continue;
      context.addIssue({ code: 'custom', path: [index, 'sequence'], message: 'must be the place in the list, from 1' });
    }
  });

const trigger = z.strictObject({
  kind: z.enum(triggerKinds),
  empty_minutes: z.int().min(1).max(1440).optional().describe('for players_empty; 10 unless given'),
  join_pattern: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe(
      'for players_empty: part of the console line of a player who joins, or a regular expression after regex:',
    ),
  leave_pattern: z.string().min(1).max(255).nullish(),
});

const fields = {
  name: singleLine(191),
  cron: z.strictObject(cronFields).partial().optional(),
  ...z.object(cronFields).partial().shape,
  timezone: z.string().min(1).max(64).optional().describe('IANA name; UTC unless given'),
  is_active: z.boolean().optional(),
  only_when_online: z.boolean().optional(),
  trigger: trigger.optional(),
  tasks: tasks.optional().describe('the whole list'),
};

export const createScheduleBody = z.strictObject(fields);
export const updateScheduleBody = z.strictObject({ ...fields, name: fields.name.optional() });

export type ScheduleBody = z.output<typeof updateScheduleBody>;

export const hookQuery = z.object({
  signature: z.string().min(1).max(128).describe('as in webhook_url'),
});

export const hookResponse = z.strictObject({ accepted: z.literal(true) });
