import { useQueryClient } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { Backup } from '@panel/client';
import { saveBlob } from '../ui/download.js';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { backupTexts } from '../i18n/texts/backups/backups-texts.js';
import { useApi } from '../api/context.js';
import { readBlob } from '../api/read-blob.js';
import { type Listed, useChange, useData, whileAny } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Menu } from '../ui/menu.js';
import { Empty, Loaded, PanelWords } from '../ui/states.js';
import { Status } from '../ui/status.js';
import { Pager } from '../ui/pager.js';
import { type Column, Table } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { serverPollMs, useOperation, useServer } from '../server/server-context.js';
import { BackupFiles } from './backup-files.js';
import { CreateBackup } from './create-backup.js';
import { RestoreBackup } from './restore-backup.js';

type Question =
  { readonly kind: 'create' } | { readonly kind: 'restore' | 'files' | 'remove'; readonly backup: Backup };

const perPage = 50;

export const BackupsPage = withTexts([resourceTexts, backupTexts], Backups);

function Backups() {
  const { t } = useI18n();
  const { id, server, why } = useServer();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [page, setPage] = useState(1);
  const [question, setQuestion] = useState<Question | null>(null);
  const stale = [['server', id, 'backups']];
  const query = { page, per_page: perPage };
  const backups = useData<Listed<Backup>>(
    ['server', id, 'backups', query],
    async (client) => client.get('/servers/{id}/backups', { params: { id }, query }),
    { keepsPrevious: true, every: whileAny(({ status }) => status === 'pending', serverPollMs) },
  );
  const columns = useColumns(() => void queries.invalidateQueries({ queryKey: ['server', id, 'backups'] }));
  const download = useDownload(id);
  const lock = useChange(
    async (client, { id: backup_id, is_locked }: Backup) =>
      client.post('/servers/{id}/backups/{backup-id}/lock', {
        params: { id, backup_id },
        body: { is_locked: !is_locked },
      }),
    stale,
  );
  const remove = useChange(
    async (client, backup_id: string) =>
      client.delete('/servers/{id}/backups/{backup-id}', { params: { id, backup_id } }),
    stale,
  );
  const limit = server.feature_limits.backups;
  const notCompleted = ({ status }: Backup) => status !== 'completed' && t('backups.not-completed');
  return (
    <div className="stack">
      <div className="toolbar">
        <Button
          kind="primary"
          why={why('backup.create') ?? (limit === 0 && t('backups.no-limit'))}
          onClick={() => setQuestion({ kind: 'create' })}
        >
          {t('backups.create')}
        </Button>
        {download.progress}
      </div>
      <Loaded query={backups}>
        {({ data, meta }) => (
          <>
            <p className="faint">
              {t('backups.used', { count: data.filter(({ status }) => status !== 'failed').length, limit })}
            </p>
            {data.length === 0 ? (
              <Empty text={t('backups.none')} />
            ) : (
              <Table
                label={t('server.backups')}
                items={data}
                idOf={(backup) => backup.id}
                columns={columns}
                actions={(backup) => (
                  <Menu
                    label={t('servers.actions', { name: backup.name })}
                    items={[
                      {
                        label: t('action.download'),
                        why: why('backup.download') ?? notCompleted(backup),
                        act: () => void download.start(backup),
                      },
                      {
                        label: t('backups.browse'),
                        why: notCompleted(backup),
                        act: () => setQuestion({ kind: 'files', backup }),
                      },
                      {
                        label: t('action.restore'),
                        why: why('backup.restore') ?? notCompleted(backup),
                        act: () => setQuestion({ kind: 'restore', backup }),
                      },
                      {
                        label: backup.is_locked ? t('backups.unlock') : t('backups.lock'),
                        why: why('backup.delete'),
                        act: () => lock.mutate(backup, { onError: toasts.showError }),
                      },
                      {
                        label: backup.status === 'pending' ? t('backups.abort') : t('action.remove'),
                        isDanger: true,
                        why: why('backup.delete') ?? (backup.is_locked && t('backups.is-locked')),
                        act: () => setQuestion({ kind: 'remove', backup }),
                      },
                    ]}
                  />
                )}
              />
            )}
            <Pager page={page} pages={meta.total_pages} total={meta.total} onPage={setPage} />
          </>
        )}
      </Loaded>
      {question?.kind === 'create' ? <CreateBackup onClose={() => setQuestion(null)} /> : null}
      {question?.kind === 'files' ? <BackupFiles backup={question.backup} onClose={() => setQuestion(null)} /> : null}
      {question?.kind === 'restore' ? (
        <RestoreBackup backup={question.backup} paths={[]} onClose={() => setQuestion(null)} />
      ) : null}
      {question?.kind === 'remove' ? (
        <Confirm
          title={t('backups.remove')}
          text={t('backups.remove-text', { name: question.backup.name })}
          action={t('action.remove')}
          onConfirm={async () => remove.mutateAsync(question.backup.id)}
          onClose={() => setQuestion(null)}
        />
      ) : null}
    </div>
  );
}

/** A backup's columns. `onEnd` is called when a running backup ends. */
function useColumns(onEnd: () => void): readonly Column<Backup>[] {
  const { t, bytes, date, maybe } = useI18n();
  const operation = useOperation(onEnd);
  const state = ({ status, error }: Backup) => {
    if (status === 'pending' && operation?.kind === 'backing_up') {
      const text = `${operation.step ?? ''} ${operation.progress ?? 0} %`;
      return <progress aria-label={text} title={text} max={100} value={operation.progress ?? 0} />;
    }
    return (
      <>
        <Status value={status} />
        {error ? <p className="problem">{maybe(`reason.${error.reason}`, error.message)}</p> : null}
      </>
    );
  };
  return [
    {
      label: t('field.name'),
      isName: true,
      cell: ({ name, is_locked, ignored_files }) => (
        <>
          {name} {is_locked ? <Lock role="img" aria-label={t('backups.is-locked')} /> : null}
          {ignored_files.length > 0 ? (
            <p className="faint">{t('backups.without', { patterns: ignored_files.join(' ') })}</p>
          ) : null}
        </>
      ),
    },
    { label: t('field.status'), cell: state },
    { label: t('field.size'), cell: (backup) => bytes(backup.bytes), isNumber: true },
    {
      label: t('activity.when'),
      cell: ({ created_at, restored_at, restore_error, warning }) => (
        <>
          {date(created_at)}
          {restored_at === null || restore_error !== null ? null : (
            <p className="faint">{t('backups.restored', { when: date(restored_at) })}</p>
          )}
          {restore_error === null ? null : (
            <>
              <p className="problem">{t('backups.restore-failed')}</p>
              <PanelWords>{restore_error}</PanelWords>
            </>
          )}
          {warning === null ? null : (
            <>
              <p className="problem">{t('backups.warning')}</p>
              <PanelWords>{warning}</PanelWords>
            </>
          )}
        </>
      ),
    },
  ];
}

function useDownload(id: string) {
  const { t, bytes } = useI18n();
  const api = useApi();
  const toasts = useToasts();
  const [received, setReceived] = useState<{ readonly name: string; readonly count: number } | null>(null);
  const start = async ({ id: backup_id, name }: Backup): Promise<void> => {
    setReceived({ name, count: 0 });
    try {
      const response = await api.call(async (client) =>
        client.download('/servers/{id}/backups/{backup-id}/download', { params: { id, backup_id } }),
      );
      const blob = await readBlob(response, (count) => setReceived({ name, count }));
      saveBlob(`${name.replace(/[^\p{L}\p{N}._ -]+/gu, '-')}.tar.gz`, blob);
    } catch (error) {
      toasts.showError(error);
    }
    setReceived(null);
  };
  const progress = received ? (
    <p role="status">{t('backups.downloading', { name: received.name, size: bytes(received.count) })}</p>
  ) : null;
  return { start, progress };
}
