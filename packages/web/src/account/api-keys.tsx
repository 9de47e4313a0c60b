import { useState } from 'react';
import type { ApiKey } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { newKey, useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { CopyText } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Note } from '../ui/states.js';
import { ResourceTable } from '../ui/table.js';

const words = (value: unknown): string[] =>
  String(value)
    .split(/[\s,]+/)
    .filter((word) => word !== '');

export function ApiKeys() {
  const { t, date, relative } = useI18n();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const { confirm, dialog } = useConfirm();
  const stale = [['account', 'api-keys']];
  const create = useChange(
    async (
      client,
      body: { description: string; allowed_ips: string[]; permissions: string[] | null; expires_at: string | null },
    ) => client.post('/account/api-keys', { body, idempotencyKey: newKey() }),
    stale,
  );
  const remove = useChange(
    async (client, key_id: string) => client.delete('/account/api-keys/{key-id}', { params: { key_id } }),
    stale,
  );
  const close = (): void => {
    setIsCreating(false);
    setCreated(null);
  };
  const askToRemove = (removing: ApiKey) =>
    confirm({
      title: t('account.api-key-remove'),
      text: t('account.api-key-remove-text', { name: removing.description }),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <>
      <ResourceTable
        label={t('account.api-keys')}
        queryKey={['account', 'api-keys']}
        read={async (client, query) => client.get('/account/api-keys', { query })}
        empty={t('account.api-keys-none')}
        idOf={({ id }) => id}
        toolbar={
          <Button kind="primary" onClick={() => setIsCreating(true)}>
            {t('account.api-key-create')}
          </Button>
        }
        columns={[
          { label: t('field.description'), cell: ({ description }) => description, isName: true },
          { label: t('account.identifier'), cell: ({ identifier }) => <code>{identifier}…</code> },
          { label: t('account.last-used'), cell: ({ last_used_at }) => relative(last_used_at) },
          { label: t('field.expires'), cell: ({ expires_at }) => date(expires_at) },
        ]}
        actions={(key) => <Button onClick={() => askToRemove(key)}>{t('action.remove')}</Button>}
      />
      {isCreating ? (
        <Dialog title={t('account.api-key-create')} onClose={close}>
          {created === null ? (
            <Form
              fields={[
                { name: 'description', label: t('field.description'), isRequired: true, maxLength: 191, isWide: true },
                {
                  name: 'allowed_ips',
                  label: t('account.allowed-ips'),
                  hint: t('account.allowed-ips-hint'),
                  isWide: true,
                },
                {
                  name: 'permissions',
                  label: t('field.permissions'),
                  hint: t('account.permissions-hint'),
                  isWide: true,
                },
                { name: 'expires_at', label: t('field.expires'), type: 'date' },
              ]}
              action={t('account.api-key-create')}
              onCancel={close}
              onSubmit={async ({ description, allowed_ips, permissions, expires_at }) => {
                const named = words(permissions);
                const { data } = await create.mutateAsync({
                  description: String(description),
                  allowed_ips: words(allowed_ips),
                  permissions: named.length > 0 ? named : null,
                  expires_at: expires_at === '' ? null : new Date(String(expires_at)).toISOString(),
                });
                setCreated(data.key);
              }}
            />
          ) : (
            <>
              <Note kind="warning">{t('account.api-key-once')}</Note>
              <CopyText text={created} />
              <div className="actions">
                <Button kind="primary" onClick={close}>
                  {t('action.close')}
                </Button>
              </div>
            </>
          )}
        </Dialog>
      ) : null}
      {dialog}
    </>
  );
}
