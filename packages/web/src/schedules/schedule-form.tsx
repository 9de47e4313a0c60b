import '../style/pages.css';
import { useState } from 'react';
import type { OptionsOf, Schedule } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Form } from '../ui/form.js';
import { useServer } from '../server/server-context.js';
import { CronBuilder } from './cron-builder.js';
import { cronOf, cronProblems, planOf } from './cron.js';
import { type DraftTask, draftOf, newTask, TaskList, taskPermission } from './task-list.js';
import { type Trigger, TriggerFields } from './trigger-fields.js';

export type ScheduleBody = OptionsOf<'POST /servers/{id}/schedules'>['body'];

interface ScheduleFormProps {
  readonly schedule: Schedule | null;
  readonly action: string;
  readonly why: string | null;
  readonly onSubmit: (body: ScheduleBody) => Promise<unknown>;
}

const newCron = { minute: '0', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' };
const newTrigger: Trigger = { kind: 'cron', empty_minutes: null, join_pattern: null, leave_pattern: null };

export function ScheduleForm({ schedule, action, why, onSubmit }: ScheduleFormProps) {
  const { t } = useI18n();
  const server = useServer();
  const [trigger, setTrigger] = useState<Trigger>(schedule?.trigger ?? newTrigger);
  const [plan, setPlan] = useState(planOf(schedule?.cron ?? newCron));
  const [timezone, setTimezone] = useState(
    () => schedule?.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [tasks, setTasks] = useState<readonly DraftTask[]>(() => schedule?.tasks.map(draftOf) ?? [newTask()]);
  const cron = cronOf(plan);
  const isCron = trigger.kind === 'cron';
  const own = isCron ? cronProblems(cron) : {};
  const missing = tasks.map((task) => server.why(taskPermission(task))).find((denial) => denial !== null);
  const wrong = Object.keys(own).length > 0 && t('schedules.cron-wrong');
  return (
    <Form
      action={action}
      why={why ?? missing ?? wrong}
      fields={[
        { name: 'name', label: t('field.name'), value: schedule?.name ?? '', isRequired: true, maxLength: 191 },
        { name: 'is_active', label: t('schedules.is-active'), type: 'check', value: schedule?.is_active ?? true },
        {
          name: 'only_when_online',
          label: t('schedules.only-when-online'),
          type: 'check',
          value: schedule?.only_when_online ?? false,
        },
      ]}
      onSubmit={async (values) =>
        onSubmit({
          name: String(values.name),
          is_active: values.is_active === true,
          only_when_online: values.only_when_online === true,
          timezone,
          cron,
          trigger: {
            kind: trigger.kind,
            ...(trigger.kind === 'players_empty'
              ? {
                  empty_minutes: trigger.empty_minutes ?? 10,
                  join_pattern: trigger.join_pattern,
                  leave_pattern: trigger.leave_pattern,
                }
              : {}),
          },
          tasks: tasks.map(({ id, action: kind, payload, time_offset, continue_on_failure }) => ({
            ...(id === undefined ? {} : { id }),
            action: kind,
            payload,
            time_offset,
            continue_on_failure,
          })),
        })
      }
    >
      {(problems) => (
        <>
          <TriggerFields trigger={trigger} problems={problems} onChange={setTrigger} />
          {isCron ? (
            <CronBuilder
              plan={plan}
              timezone={timezone}
              problems={{ ...problems, ...own }}
              onPlan={setPlan}
              onTimezone={setTimezone}
            />
          ) : null}
          <TaskList tasks={tasks} problems={problems} onChange={setTasks} />
        </>
      )}
    </Form>
  );
}
