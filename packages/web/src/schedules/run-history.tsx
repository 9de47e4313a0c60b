import type { Schedule } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Card } from '../ui/page.js';
import { Empty } from '../ui/states.js';
import { Status } from '../ui/status.js';
import { Table } from '../ui/table.js';

type Run = Schedule['runs'][number];

export function RunHistory({ schedule: { runs } }: { readonly schedule: Schedule }) {
  const { t, date, number } = useI18n();
  const seconds = ({ started_at, ended_at }: Run): string =>
    ended_at === null ? '–' : `${number((Date.parse(ended_at) - Date.parse(started_at)) / 1000)} s`;
  return (
    <Card title={t('schedules.runs')}>
      {runs.length === 0 ? (
        <Empty text={t('schedules.no-runs')} />
      ) : (
        <Table
          label={t('schedules.runs')}
          items={runs}
          idOf={({ id }) => id}
          columns={[
            { label: t('activity.when'), cell: ({ started_at }) => date(started_at), isName: true },
            { label: t('schedules.cause'), cell: ({ cause }) => t(`cause.${cause}`) },
            {
              label: t('field.status'),
              cell: ({ status, error }) => (
                <>
                  <RunStatus status={status} />
                  {error === null ? null : <p className="problem">{error}</p>}
                </>
              ),
            },
            { label: t('schedules.duration'), cell: seconds, isNumber: true },
            { label: t('schedules.tasks'), cell: (run) => <RunTasks run={run} /> },
          ]}
        />
      )}
    </Card>
  );
}

/** `status.cancelled` is that of services and orders. */
export function RunStatus({ status }: Pick<Run, 'status'>) {
  const { t } = useI18n();
  return <Status value={status} text={status === 'cancelled' ? t('schedules.cancelled') : undefined} />;
}

function RunTasks({ run: { tasks } }: { readonly run: Run }) {
  const { t } = useI18n();
  if (tasks.length === 0) return '–';
  return (
    <ol className="plain">
      {tasks.map(({ sequence, action, status, error }) => (
        <li key={sequence}>
          {`${sequence}. ${t(`task.${action}`)} `}
          <Status value={status} />
          {error === null ? null : <span className="problem"> {error}</span>}
        </li>
      ))}
    </ol>
  );
}
