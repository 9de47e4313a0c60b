import {
  CreateScheduleRequest,
  Cron,
  Schedule,
  ScheduleRun,
  ScheduleRun_Cause,
  ScheduleRun_Status,
  ScheduleTask,
  ScheduleTask_Action,
  ScheduleTaskResult,
  ScheduleTaskResult_Status,
  Trigger,
  Trigger_Kind,
  UpdateScheduleRequest,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import type { SentNames } from '../../declaration/sent-names.js';
import { singleLine, timezone } from '../../declaration/text.js';

export const hookPath = '/api/v1/hooks/schedules';

const cronField = z.string().min(1).max(100);

const cron = resource(Cron, '', {
  minute: is.plain('minute', cronField).settable(cronField),
  hour: is.plain('hour', cronField).settable(cronField),
  day_of_month: is.plain('dayOfMonth', cronField).settable(cronField),
  month: is.plain('month', cronField).settable(cronField),
  day_of_week: is.plain('dayOfWeek', cronField).settable(cronField),
});

const kind = is.word('kind', Trigger_Kind);
const pattern = z.string().min(1).max(255).nullish();

const trigger = resource(Trigger, '', {
  kind: kind.settable(kind.shown.schema),
  empty_minutes: is
    .positiveOrNull('emptyMinutes')
    .settableAs(null, z.int().min(1).max(1440).nullish().describe('for players_empty; 10 unless given')),
  join_pattern: is
    .textOrNull('joinPattern')
    .settableAs(
      null,
      pattern.describe(
        'for players_empty: part of the console line of a player who joins, or a regular expression after regex:',
      ),
    ),
  leave_pattern: is.textOrNull('leavePattern').settableAs(null, pattern),
});

const defaultEmptyMinutes = 10;

function readTrigger(body: z.output<typeof trigger.createBody>): Trigger {
  return trigger.readNew({ ...body, empty_minutes: body.empty_minutes ?? defaultEmptyMinutes });
}

const action = is.word('action', ScheduleTask_Action);

const task = resource(ScheduleTask, '', {
  id: is.uuid('id').settableAs(null, z.uuid().optional().describe('of the task to keep')),
  sequence: is
    .int('sequence', 'from 1')
    .settableAs(null, z.int().optional().describe('the place in the list; the list decides')),
  action: action.settable(action.shown.schema),
  payload: is.text('payload').settableAs(
    null,
    z
      .string()
      .max(20_000)
      .default('')
      .meta({
        description: 'console line; start, stop, restart or kill; ignored files, one a line',
        examples: ['say hello'],
      }),
  ),
  time_offset: is
    .int('timeOffsetSeconds', 'seconds after the task before')
    .settableAs(null, z.int().min(0).max(900).default(0).describe('seconds after the task before')),
  continue_on_failure: is.flag('continueOnFailure').settable(z.boolean(), false),
});

const tasks = z
  .array(task.createBody)
  .max(10)
  .superRefine((list, context) => {
    for (const [index, { sequence }] of list.entries()) {
      if (sequence === undefined || sequence === index + 1) continue;
      context.addIssue({ code: 'custom', path: [index, 'sequence'], message: 'must be the place in the list, from 1' });
    }
  });

const result = resource(ScheduleTaskResult, '', {
  sequence: is.int('sequence', 'of the task, from 1'),
  action,
  status: is.word('status', ScheduleTaskResult_Status, {
    about: 'interrupted: whether it was carried out is not known',
  }),
  error: is.failureOrNull('error'),
  ended_at: is.time('endTime'),
});

const run = resource(ScheduleRun, '', {
  id: is.uuid('id'),
  status: is.word('status', ScheduleRun_Status),
  cause: is.word('cause', ScheduleRun_Cause),
  started_at: is.time('startTime'),
  ended_at: is.timeOrNull('endTime'),
  error: is.failureOrNull('error'),
  tasks: is.parts('tasks', result, 'results so far'),
});

export const schedule = resource(Schedule, 'Schedule', {
  id: is.uuid('id'),
  name: is.text('name').settable(singleLine(191)),
  cron: is.part('cron', cron),
  timezone: is
    .text('timezone', 'IANA name')
    .settableAs(null, timezone.optional().describe('IANA name; UTC unless given')),
  is_active: is.flag('active').optional(z.boolean()),
  only_when_online: is.flag('onlyWhenOnline').optional(z.boolean()),
  trigger: is.part('trigger', { ...trigger, readNew: readTrigger }).optional(trigger.createBody),
  author_id: is.uuid('authorId', 'user with whose permissions the tasks run'),
  last_run_at: is.timeOrNull('lastRunTime'),
  next_run_at: is.timeOrNull('nextRunTime'),
  tasks: is.parts('tasks', task).settableAs(null, tasks.optional().describe('the whole list')),
  runs: is.parts('runs', run, 'the last 10, newest first'),
  webhook_url: is.computed(
    z
      .string()
      .nullable()
      .describe('path with signature; only of the trigger webhook, for callers with schedule.update'),
    ({ id, webhookSignature }: Schedule) =>
      webhookSignature === '' ? null : `${hookPath}/${id}?signature=${webhookSignature}`,
  ),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const { name, ...others } = schedule.createBody.shape;
const cronBody = cron.updateBody;

const beside = cronField.optional().describe('instead of `cron`');
const cronBeside = { minute: beside, hour: beside, day_of_month: beside, month: beside, day_of_week: beside };
const scheduleBody = z.strictObject({ name, cron: cronBody.optional(), ...cronBeside, ...others });

type CronForms = Pick<z.output<typeof scheduleBody>, 'cron' | keyof typeof cronBeside>;
const cronNames = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week'] as const;
const isOneForm = (body: CronForms) => body.cron === undefined || cronNames.every((each) => body[each] === undefined);
const oneForm = {
  path: ['cron'],
  message: 'cannot be given with its fields beside it',
  params: { reason: 'conflicting' },
  when: always,
};

export const createScheduleBody = scheduleBody.refine(isOneForm, oneForm);
export const updateScheduleBody = scheduleBody.extend({ name: name.optional() }).refine(isOneForm, oneForm);

export function scheduleNames(body: CronForms): SentNames {
  const sent = cronNames.filter((each) => body[each] !== undefined);
  return Object.fromEntries(sent.map((each) => [`cron.${each}`, each]));
}

/** As an object or single fields. */
function readCron(body: z.output<typeof updateScheduleBody>): Cron {
  return cron.read(Cron, { ...body, ...body.cron });
}

export function createScheduleRequest(serverId: string, body: z.output<typeof createScheduleBody>) {
  return schedule.read(CreateScheduleRequest, body, { serverId, cron: readCron(body) });
}

export function updateScheduleRequest(
  ids: Pick<UpdateScheduleRequest, 'serverId' | 'scheduleId'>,
  body: z.output<typeof updateScheduleBody>,
) {
  return schedule.read(UpdateScheduleRequest, body, {
    ...ids,
    cron: readCron(body),
    tasks: body.tasks && { tasks: body.tasks.map(task.readNew) },
  });
}

export const hookQuery = z.object({
  signature: z.string().min(1).max(128).describe('as in webhook_url'),
});

export const hookResponse = z.strictObject({ accepted: z.literal(true) });
