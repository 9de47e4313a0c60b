import type { Backup } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { useLiveStatus, useServer } from '../server/server-context.js';

interface RestoreProps {
  readonly backup: Backup;
  /** Files and directories to restore; empty: all. */
  readonly paths: readonly string[];
  readonly onClose: () => void;
}

export function RestoreBackup({ backup, paths, onClose }: RestoreProps) {
  const { t } = useI18n();
  const { id } = useServer();
  const toasts = useToasts();
  const status = useLiveStatus();
  const isPart = paths.length > 0;
  const restore = useChange(
    async (client, truncate: boolean) =>
      client.post('/servers/{id}/backups/{backup-id}/restore', {
        params: { id, backup_id: backup.id },
        body: isPart ? { paths: [...paths] } : { truncate },
      }),
    [['server', id]],
  );
  return (
    <FormDialog
      title={t('backups.restore-title', { name: backup.name })}
      action={t('action.restore')}
      kind="danger"
      why={status !== 'offline' && t('backups.stop-first')}
      onClose={onClose}
      fields={
        isPart
          ? []
          : [{ name: 'truncate', label: t('backups.truncate'), type: 'check', hint: t('backups.truncate-hint') }]
      }
      onSubmit={async ({ truncate }) => {
        await restore.mutateAsync(truncate === true);
        toasts.show(t('backups.restoring'));
      }}
    >
      {status === 'offline' ? null : <Note kind="warning">{t('backups.stop-first')}</Note>}
      <p>{isPart ? t('backups.restore-part', { count: paths.length }) : t('backups.restore-text')}</p>
      {isPart ? (
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <code dir="ltr">{path}</code>
            </li>
          ))}
        </ul>
      ) : null}
    </FormDialog>
  );
}
