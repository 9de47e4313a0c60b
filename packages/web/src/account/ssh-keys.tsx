import { useState } from 'react';
import type { SshKey } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { newKey, useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { ResourceTable } from '../ui/table.js';

export function SshKeys() {
  const { t, relative } = useI18n();
  const { confirm, dialog } = useConfirm();
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
  const askToRemove = ({ id, name, fingerprint }: SshKey) =>
    confirm({
      title: t('account.ssh-key-remove'),
      text: t('account.ssh-key-remove-text', { name: name || fingerprint }),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(id),
    });
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
        actions={(key) => <Button onClick={() => askToRemove(key)}>{t('action.remove')}</Button>}
      />
      {dialog}
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
