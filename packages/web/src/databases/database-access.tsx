import type { Database } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useCreate } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { CopyText } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { FormDialog, textOf } from '../ui/form-dialog.js';
import { Facts } from '../ui/page.js';
import { Note } from '../ui/states.js';
import { useServer } from '../server/server-context.js';

interface CreateDatabaseProps {
  readonly onCreated: (database: Database) => void;
  readonly onClose: () => void;
}

interface NewDatabase {
  readonly name: string;
  readonly remote?: string;
  readonly engine?: Database['engine'];
}

export function CreateDatabase({ onCreated, onClose }: CreateDatabaseProps) {
  const { t } = useI18n();
  const { id } = useServer();
  const create = useCreate(
    async (client, body: NewDatabase, idempotencyKey) =>
      (await client.post('/servers/{id}/databases', { params: { id }, body, idempotencyKey })).data,
    [['server', id, 'databases']],
  );
  return (
    <FormDialog
      title={t('databases.create')}
      action={t('databases.create')}
      onClose={onClose}
      staysOpen
      fields={[
        {
          name: 'name',
          label: t('field.name'),
          isRequired: true,
          maxLength: 48,
          pattern: '[A-Za-z0-9_\\-]+',
          hint: t('databases.name-hint'),
        },
        {
          name: 'engine',
          label: t('field.engine'),
          type: 'select',
          options: [
            { value: '', label: t('databases.engine-any') },
            { value: 'mysql', label: t('engine.mysql') },
            { value: 'postgresql', label: t('engine.postgresql') },
          ],
        },
        { name: 'remote', label: t('databases.remote'), value: '%', hint: t('databases.remote-hint') },
      ]}
      onSubmit={async ({ name, remote, engine }) => {
        const given = textOf(remote);
        const database = await create.mutateAsync({
          name: String(name),
          ...(given === undefined ? {} : { remote: given }),
          ...(engine === 'mysql' || engine === 'postgresql' ? { engine } : {}),
        });
        onCreated(database);
      }}
    />
  );
}

export function DatabaseAccess({ database, onClose }: { readonly database: Database; readonly onClose: () => void }) {
  const { t } = useI18n();
  const { name, host, engine, username, password } = database;
  const address = hostPort(host.address, host.port);
  return (
    <Dialog title={name} onClose={onClose}>
      {password ? (
        <Note kind="warning">{t('databases.password-once')}</Note>
      ) : (
        <Note>{t('databases.password-hidden')}</Note>
      )}
      <Facts
        facts={[
          [t('server.address'), <CopyText key="address" text={address} />],
          [t('server.database'), <CopyText key="name" text={name} />],
          [t('field.username'), <CopyText key="user" text={username} />],
          ...(password ? [[t('field.password'), <CopyText key="password" text={password} />] as const] : []),
          [
            t('databases.jdbc'),
            <CopyText key="jdbc" text={`jdbc:${engine === 'mysql' ? 'mariadb' : 'postgresql'}://${address}/${name}`} />,
          ],
        ]}
      />
      <div className="actions">
        <Button kind="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      </div>
    </Dialog>
  );
}
