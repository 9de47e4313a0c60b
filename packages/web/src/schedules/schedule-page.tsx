import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schedule } from '@panel/client';
import { Link, useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { useChange, useCreate, useData } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { CopyText } from '../ui/copy.js';
import { Card } from '../ui/page.js';
import { Loaded, Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { useServer } from '../server/server-context.js';
import { RunHistory } from './run-history.js';
import { type ScheduleBody, ScheduleForm } from './schedule-form.js';
import { isRunning, useCancelRun } from './use-cancel-run.js';

const runningPollMs = 5_000;

export function NewSchedule({ base }: { readonly base: string }) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const [, navigate] = useLocation();
  const create = useCreate(
    async (client, body: ScheduleBody, idempotencyKey) =>
      (await client.post('/servers/{id}/schedules', { params: { id }, body, idempotencyKey })).data,
    [['server', id, 'schedules']],
  );
  return (
    <>
      <BackLink base={base} />
      <Card title={t('schedules.create')}>
        <ScheduleForm
          schedule={null}
          action={t('schedules.create')}
          why={why('schedule.create')}
          onSubmit={async (body) => {
            const schedule = await create.mutateAsync(body);
            navigate(`${base}/${schedule.id}`, { replace: true });
          }}
        />
      </Card>
    </>
  );
}

function BackLink({ base }: { readonly base: string }) {
  const { t } = useI18n();
  return (
    <Link to={base} className="back">
      ‹ {t('server.schedules')}
    </Link>
  );
}

export function ExistingSchedule({ scheduleId, base }: { readonly scheduleId: string; readonly base: string }) {
  const { id } = useServer();
  const params = { id, schedule_id: scheduleId };
  const schedule = useData(
    ['server', id, 'schedules', scheduleId],
    async (client) => (await client.get('/servers/{id}/schedules/{schedule-id}', { params })).data,
    { every: (data) => isRunning(data) && runningPollMs },
  );
  return (
    <>
      <BackLink base={base} />
      <Loaded query={schedule} rows={6}>
        {(data) => <ScheduleCards schedule={data} base={base} />}
      </Loaded>
    </>
  );
}

interface ScheduleCardsProps {
  readonly schedule: Schedule;
  readonly base: string;
}

function ScheduleCards({ schedule, base }: ScheduleCardsProps) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [, navigate] = useLocation();
  // The form needs the ids of saved tasks.
  const [version, setVersion] = useState(0);
  const [isRemoving, setIsRemoving] = useState(false);
  const params = { id, schedule_id: schedule.id };
  const keep = (data: Schedule): void => {
    queries.setQueryData(['server', id, 'schedules', schedule.id], data);
  };
  const save = useChange(
    async (client, body: ScheduleBody) =>
      (await client.put('/servers/{id}/schedules/{schedule-id}', { params, body })).data,
  );
  const execute = useChange(
    async (client) => (await client.post('/servers/{id}/schedules/{schedule-id}/execute', { params })).data,
  );
  const { cancel, isPending: isCancelling } = useCancelRun();
  const remove = useChange(async (client) => client.delete('/servers/{id}/schedules/{schedule-id}', { params }));
  const run = (): void =>
    execute.mutate(undefined, {
      onError: toasts.showError,
      onSuccess: keep,
    });
  return (
    <>
      <Card
        title={schedule.name}
        actions={
          <div className="row">
            <Button
              kind="primary"
              isBusy={execute.isPending}
              why={why('schedule.update') ?? (schedule.tasks.length === 0 && t('schedules.no-tasks'))}
              onClick={run}
            >
              {t('schedules.execute')}
            </Button>
            {isRunning(schedule) ? (
              <Button isBusy={isCancelling} why={why('schedule.update')} onClick={() => cancel(schedule.id)}>
                {t('schedules.cancel')}
              </Button>
            ) : null}
            <Button kind="danger" why={why('schedule.delete')} onClick={() => setIsRemoving(true)}>
              {t('action.remove')}
            </Button>
          </div>
        }
      >
        <ScheduleForm
          key={version}
          schedule={schedule}
          action={t('action.save')}
          why={why('schedule.update')}
          onSubmit={async (body) => {
            keep(await save.mutateAsync(body));
            void queries.invalidateQueries({ queryKey: ['server', id, 'schedules'] });
            setVersion((old) => old + 1);
            toasts.show(t('action.saved'));
          }}
        />
      </Card>
      {schedule.trigger.kind === 'webhook' ? <WebhookCard schedule={schedule} onChanged={keep} /> : null}
      <RunHistory schedule={schedule} />
      {isRemoving ? (
        <Confirm
          title={t('schedules.remove')}
          text={t('schedules.remove-text', { name: schedule.name })}
          action={t('action.remove')}
          onConfirm={async () => {
            await remove.mutateAsync(undefined);
            // Without a refetch here: this page would read the deleted schedule.
            await queries.invalidateQueries({ queryKey: ['server', id, 'schedules'], refetchType: 'none' });
            navigate(base, { replace: true });
          }}
          onClose={() => setIsRemoving(false)}
        />
      ) : null}
    </>
  );
}

interface WebhookCardProps {
  readonly schedule: Schedule;
  readonly onChanged: (schedule: Schedule) => void;
}

/** The schedule's webhook address, a secret. */
function WebhookCard({ schedule, onChanged }: WebhookCardProps) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const [isRotating, setIsRotating] = useState(false);
  const rotate = useChange(
    async (client, schedule_id: string) =>
      (await client.post('/servers/{id}/schedules/{schedule-id}/rotate-webhook', { params: { id, schedule_id } })).data,
  );
  return (
    <Card
      title={t('trigger.webhook')}
      actions={
        <Button why={why('schedule.update')} onClick={() => setIsRotating(true)}>
          {t('schedules.webhook-rotate')}
        </Button>
      }
    >
      {schedule.webhook_url === null ? (
        <Note>{t('schedules.webhook-hidden')}</Note>
      ) : (
        <>
          <p>{t('schedules.webhook-text')}</p>
          <CopyText text={new URL(schedule.webhook_url, location.origin).href} />
        </>
      )}
      {isRotating ? (
        <Confirm
          title={t('schedules.webhook-rotate')}
          text={t('schedules.webhook-rotate-text')}
          action={t('schedules.webhook-rotate')}
          onConfirm={async () => onChanged(await rotate.mutateAsync(schedule.id))}
          onClose={() => setIsRotating(false)}
        />
      ) : null}
    </Card>
  );
}
