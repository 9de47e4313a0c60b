import { useRef, useState } from 'react';
import type { Database } from '@panel/client';
import { hostPort } from '../ui/address.js';
import { saveBlob } from '../ui/download.js';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { databaseTexts } from '../i18n/texts/databases/databases-texts.js';
import { useApi } from '../api/context.js';
import { readBlob } from '../api/read-blob.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { CopyText } from '../ui/copy.js';
import { Menu } from '../ui/menu.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { serverPollMs, useServer } from '../server/server-context.js';
import { CreateDatabase, DatabaseAccess } from './database-access.js';

type ConfirmQuestion =
  | { readonly kind: 'rotate'; readonly database: Database }
  | { readonly kind: 'remove'; readonly database: Database }
  | { readonly kind: 'import'; readonly database: Database; readonly file: File };
type Question =
  ConfirmQuestion | { readonly kind: 'create' } | { readonly kind: 'access'; readonly database: Database };

const dumpTimeoutMs = 3_600_000;

export const DatabasesPage = withTexts([resourceTexts, databaseTexts], Databases);

function Databases() {
  const { t, bytes } = useI18n();
  const { id, server, why } = useServer();
  const [question, setQuestion] = useState<Question | null>(null);
  const [dumped, setDumped] = useState<Database | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const exporting = useExport(id);
  const limit = server.feature_limits.databases;
  const notActive = ({ status }: Database) => status !== 'active' && t('databases.not-active');
  const close = (): void => setQuestion(null);
  return (
    <div className="stack">
      <input
        ref={input}
        type="file"
        accept=".sql,.dump,.pgdump"
        hidden
        aria-label={t('databases.import')}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file && dumped) setQuestion({ kind: 'import', database: dumped, file });
          target.value = '';
        }}
      />
      {exporting.progress}
      <ResourceTable
        label={t('server.databases')}
        queryKey={['server', id, 'databases']}
        read={async (client, query) => client.get('/servers/{id}/databases', { params: { id }, query })}
        hasSearch
        isInProgress={({ status }) => status !== 'active'}
        progressMs={serverPollMs}
        empty={t('databases.none')}
        idOf={(database) => database.id}
        toolbar={
          <Button
            kind="primary"
            why={why('database.create') ?? (limit === 0 && t('databases.no-limit'))}
            onClick={() => setQuestion({ kind: 'create' })}
          >
            {t('databases.create')}
          </Button>
        }
        columns={[
          { label: t('field.name'), cell: ({ name }) => <CopyText text={name} />, isName: true },
          {
            label: t('server.address'),
            cell: ({ host, engine }) => (
              <>
                <CopyText text={hostPort(host.address, host.port)} />
                <p className="faint">{t(`engine.${engine}`)}</p>
              </>
            ),
          },
          { label: t('field.username'), cell: ({ username }) => <CopyText text={username} /> },
          { label: t('databases.remote'), cell: ({ remote }) => <code>{remote}</code> },
          { label: t('field.size'), cell: ({ size_bytes }) => bytes(size_bytes), isNumber: true },
          { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
        ]}
        actions={(database) => (
          <Menu
            label={t('servers.actions', { name: database.name })}
            items={[
              {
                label: t('databases.rotate'),
                why: why('database.update') ?? why('database.view_password') ?? notActive(database),
                act: () => setQuestion({ kind: 'rotate', database }),
              },
              {
                label: t('databases.export'),
                why: why('database.view_password') ?? notActive(database),
                act: () => void exporting.start(database),
              },
              {
                label: t('databases.import'),
                why: why('database.update') ?? why('database.view_password') ?? notActive(database),
                act: () => {
                  setDumped(database);
                  input.current?.click();
                },
              },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('database.delete') ?? (database.status === 'deleting' && t('status.deleting')),
                act: () => setQuestion({ kind: 'remove', database }),
              },
            ]}
          />
        )}
      />
      {question?.kind === 'create' ? (
        <CreateDatabase onCreated={(database) => setQuestion({ kind: 'access', database })} onClose={close} />
      ) : null}
      {question?.kind === 'access' ? <DatabaseAccess database={question.database} onClose={close} /> : null}
      {question && question.kind !== 'create' && question.kind !== 'access' ? (
        <DatabaseConfirm
          question={question}
          onRotated={(database) => setQuestion({ kind: 'access', database })}
          onClose={close}
        />
      ) : null}
    </div>
  );
}

interface DatabaseConfirmProps {
  readonly question: ConfirmQuestion;
  readonly onRotated: (database: Database) => void;
  readonly onClose: () => void;
}

function DatabaseConfirm({ question, onRotated, onClose }: DatabaseConfirmProps) {
  const { t } = useI18n();
  const { id } = useServer();
  const toasts = useToasts();
  const { database } = question;
  const params = { id, db_id: database.id };
  const stale = [['server', id, 'databases']];
  const rotate = useChange(
    async (client) => (await client.post('/servers/{id}/databases/{db-id}/rotate-password', { params })).data,
    stale,
  );
  const remove = useChange(async (client) => client.delete('/servers/{id}/databases/{db-id}', { params }), stale);
  const importDump = useChange(async (client, file: File) => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return client.post('/servers/{id}/databases/{db-id}/import', { params, bytes, timeoutMs: dumpTimeoutMs });
  }, stale);
  if (question.kind === 'rotate') {
    return (
      <Confirm
        title={t('databases.rotate')}
        text={t('databases.rotate-text')}
        action={t('databases.rotate')}
        // The answer with the password replaces this dialog.
        onConfirm={async () => onRotated(await rotate.mutateAsync(undefined))}
        onClose={onClose}
        staysOpen
      />
    );
  }
  if (question.kind === 'remove') {
    return (
      <Confirm
        title={t('databases.remove')}
        text={t('databases.remove-text', { name: database.name })}
        action={t('action.remove')}
        typed={database.name}
        onConfirm={async () => remove.mutateAsync(undefined)}
        onClose={onClose}
      />
    );
  }
  const { file } = question;
  return (
    <Confirm
      title={t('databases.import')}
      text={t('databases.import-text', { file: file.name, name: database.name })}
      action={t('databases.import')}
      onConfirm={async () => {
        await importDump.mutateAsync(file);
        toasts.show(t('databases.imported', { file: file.name }));
      }}
      onClose={onClose}
    />
  );
}

function useExport(id: string) {
  const { t, bytes } = useI18n();
  const api = useApi();
  const toasts = useToasts();
  const [received, setReceived] = useState<number | null>(null);
  const start = async ({ id: db_id, name, engine }: Database): Promise<void> => {
    setReceived(0);
    try {
      const response = await api.call(async (client) =>
        client.download('/servers/{id}/databases/{db-id}/export', { params: { id, db_id } }),
      );
      saveBlob(`${name}.${engine === 'mysql' ? 'sql' : 'dump'}`, await readBlob(response, setReceived));
    } catch (error) {
      toasts.showError(error);
    }
    setReceived(null);
  };
  const progress =
    received === null ? null : <p role="status">{t('databases.exporting', { size: bytes(received) })}</p>;
  return { start, progress };
}
