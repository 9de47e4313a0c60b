import { Suspense } from 'react';
import type { Schedule } from '@panel/client';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { scheduleTexts } from '../i18n/texts/schedules/schedules-texts.js';
import { useChange } from '../api/use-data.js';
import { Menu } from '../ui/menu.js';
import { Skeleton } from '../ui/states.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { serverPollMs, useServer } from '../server/server-context.js';
import { cronFieldNames } from './cron.js';
import { RunStatus } from './run-history.js';
import { ExistingSchedule, NewSchedule } from './schedule-page.js';
import { isRunning, useCancelRun } from './use-cancel-run.js';

export const SchedulesPage = withTexts([resourceTexts, scheduleTexts], SchedulePages);

function SchedulePages() {
  const { id } = useServer();
  const base = `/servers/${id}/schedules`;
  return (
    <Suspense fallback={<Skeleton />}>
      <Switch>
        <Route path={base}>
          <Schedules base={base} />
        </Route>
        <Route path={`${base}/new`}>
          <NewSchedule base={base} />
        </Route>
        <Route path={`${base}/:scheduleId`}>
          {({ scheduleId }) => <ExistingSchedule key={scheduleId} scheduleId={scheduleId} base={base} />}
        </Route>
      </Switch>
    </Suspense>
  );
}

function Schedules({ base }: { readonly base: string }) {
  const { t, relative, date } = useI18n();
  const { id, why } = useServer();
  const toasts = useToasts();
  const [, navigate] = useLocation();
  const stale = [['server', id, 'schedules']];
  const change = useChange(
    async (client, { id: schedule_id, is_active }: Schedule) =>
      client.put('/servers/{id}/schedules/{schedule-id}', {
        params: { id, schedule_id },
        body: { is_active: !is_active },
      }),
    stale,
  );
  const execute = useChange(
    async (client, schedule_id: string) =>
      client.post('/servers/{id}/schedules/{schedule-id}/execute', { params: { id, schedule_id } }),
    stale,
  );
  const { cancel } = useCancelRun();
  const createDenial = why('schedule.create');
  return (
    <ResourceTable
      label={t('server.schedules')}
      queryKey={['server', id, 'schedules']}
      read={async (client, query) => client.get('/servers/{id}/schedules', { params: { id }, query })}
      hasSearch
      isInProgress={isRunning}
      progressMs={serverPollMs}
      empty={t('schedules.none')}
      idOf={(schedule) => schedule.id}
      toolbar={
        createDenial === null ? (
          <Link to={`${base}/new`} className="button" data-kind="primary">
            {t('schedules.create')}
          </Link>
        ) : (
          <p className="faint">{createDenial}</p>
        )
      }
      columns={[
        { label: t('field.name'), cell: (one) => <Link to={`${base}/${one.id}`}>{one.name}</Link>, isName: true },
        { label: t('schedules.when'), cell: (one) => <ScheduleTimes schedule={one} /> },
        {
          label: t('schedules.next'),
          cell: ({ next_run_at, is_active }) =>
            !is_active ? t('schedules.inactive') : <span title={date(next_run_at)}>{relative(next_run_at)}</span>,
        },
        {
          label: t('schedules.last'),
          cell: ({ runs: [run] }) =>
            run ? (
              <>
                <RunStatus status={run.status} /> <span className="faint">{relative(run.started_at)}</span>
              </>
            ) : (
              '–'
            ),
        },
        { label: t('schedules.tasks'), cell: ({ tasks }) => tasks.length, isNumber: true },
      ]}
      actions={(schedule) => (
        <Menu
          label={t('servers.actions', { name: schedule.name })}
          items={[
            {
              label: t('schedules.execute'),
              why: why('schedule.update') ?? (schedule.tasks.length === 0 && t('schedules.no-tasks')),
              act: () =>
                execute.mutate(schedule.id, {
                  onError: toasts.showError,
                  onSuccess: () => navigate(`${base}/${schedule.id}`),
                }),
            },
            ...(isRunning(schedule)
              ? [{ label: t('schedules.cancel'), why: why('schedule.update'), act: () => cancel(schedule.id) }]
              : []),
            {
              label: schedule.is_active ? t('schedules.deactivate') : t('schedules.activate'),
              why: why('schedule.update'),
              act: () => change.mutate(schedule, { onError: toasts.showError }),
            },
            { label: t('action.edit'), act: () => navigate(`${base}/${schedule.id}`) },
          ]}
        />
      )}
    />
  );
}

function ScheduleTimes({ schedule: { trigger, cron, timezone } }: { readonly schedule: Schedule }) {
  const { t } = useI18n();
  if (trigger.kind !== 'cron') return t(`trigger.${trigger.kind}`);
  return (
    <>
      <code dir="ltr">{cronFieldNames.map((name) => cron[name]).join(' ')}</code>
      <p className="faint">{timezone}</p>
    </>
  );
}
