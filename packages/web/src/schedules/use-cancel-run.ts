import type { Schedule } from '@panel/client';
import { useChange } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { useToasts } from '../ui/toasts.js';

export function isRunning({ runs: [run] }: Pick<Schedule, 'runs'>): boolean {
  return run?.status === 'running';
}

/** Says when a task in progress ends first. */
export function useCancelRun() {
  const { t } = useI18n();
  const { id } = useServer();
  const toasts = useToasts();
  const { mutate, isPending } = useChange(
    async (client, schedule_id: string) =>
      (await client.post('/servers/{id}/schedules/{schedule-id}/cancel', { params: { id, schedule_id } })).data,
    [['server', id, 'schedules']],
  );
  const cancel = (scheduleId: string): void =>
    mutate(scheduleId, {
      onError: toasts.showError,
      onSuccess: (schedule) => isRunning(schedule) && toasts.show(t('schedules.cancelling')),
    });
  return { cancel, isPending };
}
