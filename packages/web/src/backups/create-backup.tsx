import { useI18n } from '../i18n/i18n.js';
import { useCreate } from '../api/use-data.js';
import { FormDialog, linesOf, textOf } from '../ui/form-dialog.js';
import { useServer } from '../server/server-context.js';

export function CreateBackup({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  const { id } = useServer();
  const create = useCreate(
    async (client, body: { name?: string; ignored_files?: string[]; rotate: boolean }, idempotencyKey) =>
      client.post('/servers/{id}/backups', { params: { id }, body, idempotencyKey }),
    [['server', id]],
  );
  return (
    <FormDialog
      title={t('backups.create')}
      action={t('backups.create')}
      onClose={onClose}
      fields={[
        { name: 'name', label: t('field.name'), maxLength: 191, isWide: true, hint: t('backups.name-hint') },
        { name: 'ignored_files', label: t('field.ignored'), type: 'area', hint: t('field.ignored-hint') },
        { name: 'rotate', label: t('backups.rotate'), type: 'check', hint: t('backups.rotate-hint') },
      ]}
      onSubmit={async (values) => {
        const name = textOf(values.name);
        const ignored_files = linesOf(values.ignored_files);
        await create.mutateAsync({
          ...(name === undefined ? {} : { name }),
          ...(ignored_files.length === 0 ? {} : { ignored_files }),
          rotate: values.rotate === true,
        });
      }}
    />
  );
}
