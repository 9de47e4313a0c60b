import { useState } from 'react';
import type { ServerAllocation } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { newKey, useChange } from '../api/use-data.js';
import { hostPort, playerAddress } from '../ui/address.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { CopyText } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Menu } from '../ui/menu.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { useServer } from '../server/server-context.js';

export function NetworkPage() {
  const { t } = useI18n();
  const { id, server, why } = useServer();
  const toasts = useToasts();
  const stale = [['server', id]];
  const [noting, setNoting] = useState<ServerAllocation | null>(null);
  const { confirm, dialog } = useConfirm();
  const add = useChange(
    async (client) => client.post('/servers/{id}/allocations', { params: { id }, idempotencyKey: newKey() }),
    stale,
  );
  const change = useChange(
    async (client, { allocation_id, ...body }: { allocation_id: string; notes?: string; is_primary?: true }) =>
      client.put('/servers/{id}/allocations/{allocation-id}', { params: { id, allocation_id }, body }),
    stale,
  );
  const remove = useChange(
    async (client, allocation_id: string) =>
      client.delete('/servers/{id}/allocations/{allocation-id}', { params: { id, allocation_id } }),
    stale,
  );
  const limit = server.feature_limits.allocations;
  const isFull = server.allocations.length >= limit;
  const askToRemove = (removing: ServerAllocation) =>
    confirm({
      title: t('network.remove'),
      text: t('network.remove-text', { address: hostPort(removing.ip, removing.port) }),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <>
      <ResourceTable
        label={t('server.network')}
        queryKey={['server', id, 'allocations']}
        read={async (client, query) => client.get('/servers/{id}/allocations', { params: { id }, query })}
        empty={t('network.none')}
        idOf={(allocation) => allocation.id}
        toolbar={
          <Button
            kind="primary"
            isBusy={add.isPending}
            why={why('allocation.create') ?? (isFull && t('why.limit', { limit }))}
            onClick={() => add.mutate(undefined, { onError: toasts.showError })}
          >
            {t('network.add')}
          </Button>
        }
        columns={[
          {
            label: t('server.address'),
            cell: ({ ip, alias, port }) => <CopyText text={playerAddress({ ip, alias, port })} />,
            isName: true,
          },
          { label: t('network.notes'), cell: ({ notes }) => notes ?? '–' },
          {
            label: t('network.kind'),
            cell: ({ is_primary }) => (is_primary ? t('network.primary') : t('network.additional')),
          },
        ]}
        actions={(allocation) => (
          <Menu
            label={t('table.actions')}
            items={[
              {
                label: t('network.make-primary'),
                why: why('allocation.update') ?? (allocation.is_primary && t('network.is-primary')),
                act: () =>
                  change.mutate({ allocation_id: allocation.id, is_primary: true }, { onError: toasts.showError }),
              },
              { label: t('network.notes'), why: why('allocation.update'), act: () => setNoting(allocation) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('allocation.delete') ?? (allocation.is_primary && t('network.is-primary')),
                act: () => askToRemove(allocation),
              },
            ]}
          />
        )}
      />
      {noting ? (
        <Dialog title={t('network.notes')} onClose={() => setNoting(null)}>
          <Form
            fields={[{ name: 'notes', label: t('network.notes'), value: noting.notes ?? '', isWide: true }]}
            action={t('action.save')}
            onSubmit={async ({ notes }) => change.mutateAsync({ allocation_id: noting.id, notes: String(notes) })}
            onDone={() => setNoting(null)}
          />
        </Dialog>
      ) : null}
      {dialog}
    </>
  );
}
