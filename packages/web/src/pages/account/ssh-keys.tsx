import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { newKey, useChange } from '../../net/use-data.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Form } from '../../parts/form.js';
import { ResourceTable } from '../../parts/table.js';
import { useToasts } from '../../parts/toasts.js';

export function SshKeys() {
  const { t, relative } = useI18n();
  const toasts = useToasts();
  const [isAdding, setIsAdding] = useState(false);
  const stale = [['account', 'ssh-keys']];
  const add = useChange(
    async (client, body: { name?: string; public_key: string }) =>
      client.post('/account/ssh-keys', { body, idempotencyKey: newKey() }),
    stale,
  );
  const remove = useChange(
    async (client, key_id: string) => client.delete('/account/ssh-keys/{key-id}', { params: { key_id } }),
    stale,
  );
  return (
    <>
      <ResourceTable
        label={t('account.ssh-keys')}
        queryKey={['account', 'ssh-keys']}
        read={async (client, query) => client.get('/account/ssh-keys', { query })}
        empty={t('account.ssh-keys-none')}
        idOf={({ id }) => id}
        toolbar={
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            {t('account.ssh-key-add')}
          </Button>
        }
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          {
            label: t('account.fingerprint'),
            cell: ({ fingerprint, algorithm }) => <code>{`${algorithm} ${fingerprint}`}</code>,
          },
          { label: t('account.last-used'), cell: ({ last_used_at }) => relative(last_used_at) },
        ]}
        actions={({ id }) => (
          <Button onClick={() => remove.mutate(id, { onError: toasts.showError })}>{t('action.remove')}</Button>
        )}
      />
      {isAdding ? (
        <Dialog title={t('account.ssh-key-add')} onClose={() => setIsAdding(false)}>
          <Form
            fields={[
              { name: 'name', label: t('field.name'), maxLength: 100, isWide: true },
              {
                name: 'public_key',
                label: t('account.public-key'),
                type: 'code',
                isRequired: true,
                hint: t('account.public-key-hint'),
              },
            ]}
            action={t('account.ssh-key-add')}
            onSubmit={async ({ name, public_key }) =>
              add.mutateAsync({ public_key: String(public_key).trim(), ...(name === '' ? {} : { name: String(name) }) })
            }
            onDone={() => setIsAdding(false)}
          />
        </Dialog>
      ) : null}
    </>
  );
}
