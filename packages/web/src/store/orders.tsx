import type { Order } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';

export function Orders() {
  const { t, money, date } = useI18n();
  const { confirm, dialog } = useConfirm();
  const cancel = useChange(
    async (client, id: string) => client.delete('/billing/orders/{id}', { params: { id } }),
    [['billing']],
  );
  const askToCancel = ({ id, number }: Order) =>
    confirm({
      title: t('billing.order-cancel'),
      text: t('billing.order-cancel-text', { number }),
      action: t('billing.order-cancel'),
      onConfirm: async () => cancel.mutateAsync(id),
    });
  return (
    <>
      <ResourceTable
        label={t('billing.orders')}
        queryKey={['billing', 'orders']}
        read={async (client, query) => client.get('/billing/orders', { query })}
        hasSearch
        isInProgress={({ status }) => status === 'paid'}
        empty={t('billing.no-orders')}
        idOf={({ id }) => id}
        columns={[
          { label: t('billing.number'), cell: ({ number }) => number, isName: true },
          {
            label: t('store.product'),
            cell: ({ items }) =>
              items.map((item) => `${item.quantity} × ${item.product_name} · ${item.plan_name}`).join(', '),
          },
          { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
          { label: t('activity.when'), cell: ({ created_at }) => date(created_at) },
          { label: t('store.total'), cell: ({ total }) => money(total), isNumber: true },
        ]}
        actions={(order) => (
          <Button why={order.status !== 'pending' && t('billing.order-paid')} onClick={() => askToCancel(order)}>
            {t('action.cancel')}
          </Button>
        )}
      />
      {dialog}
    </>
  );
}
