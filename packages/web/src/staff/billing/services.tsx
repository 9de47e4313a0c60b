import { useState } from 'react';
import type { Service } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useChange } from '../../api/use-data.js';
import { Confirm } from '../../ui/confirm.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { PanelWords } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { ResourceTable } from '../../ui/table.js';
import { useToasts } from '../../ui/toasts.js';
import { staleBilling as stale, useBillingDenial } from './rights.js';

type ServiceAction = 'suspend' | 'unsuspend' | 'terminate';

export function Services() {
  const { t, money, date } = useI18n();
  const why = useBillingDenial();
  const toasts = useToasts();
  const [changed, setChanged] = useState<{ readonly service: Service; readonly action: ServiceAction } | null>(null);
  const change = useChange(
    async (client, { id, action }: { id: string; action: ServiceAction }) =>
      client.put('/admin/billing/services/{id}', { params: { id }, body: { action } }),
    stale,
  );
  const retry = useChange(
    async (client, id: string) => client.post('/admin/billing/services/{id}/retry', { params: { id } }),
    stale,
  );
  return (
    <Card title={t('billing.services')}>
      <ResourceTable
        label={t('billing.services')}
        queryKey={['staff', 'billing', 'services']}
        hasSearch
        read={async (client, query) => client.get('/admin/billing/services', { query })}
        isInProgress={({ status }) => status === 'pending' || status === 'provisioning'}
        empty={t('billing.no-services')}
        idOf={({ id }) => id}
        columns={[
          { label: t('store.product'), cell: ({ product, plan }) => `${product.name} · ${plan.name}`, isName: true },
          {
            label: t('field.status'),
            cell: ({ status, error }) => (
              <>
                <Status value={status} />
                {error === null ? null : (
                  <>
                    <p className="problem">{t('staff.service-failed')}</p>
                    <PanelWords>{error}</PanelWords>
                  </>
                )}
              </>
            ),
          },
          { label: t('billing.next-due'), cell: ({ next_due_at }) => date(next_due_at) },
          { label: t('store.price'), cell: ({ price }) => money(price), isNumber: true },
        ]}
        actions={(service) => {
          const { id, status, product } = service;
          const isEnded = status === 'terminated' || status === 'cancelled';
          const lacking = why('billing.update');
          return (
            <Menu
              label={t('servers.actions', { name: product.name })}
              items={[
                {
                  label: t('action.retry'),
                  why: lacking || (status !== 'failed' && t('staff.not-failed')),
                  act: () => retry.mutate(id, { onError: toasts.showError }),
                },
                status === 'suspended'
                  ? {
                      label: t('staff.unsuspend'),
                      why: lacking,
                      act: () => change.mutate({ id, action: 'unsuspend' }, { onError: toasts.showError }),
                    }
                  : {
                      label: t('staff.suspend'),
                      why: lacking || (status !== 'active' && t('billing.not-running')),
                      act: () => setChanged({ service, action: 'suspend' }),
                    },
                {
                  label: t('billing.end-now'),
                  isDanger: true,
                  why: lacking || (isEnded && t('billing.not-running')),
                  act: () => setChanged({ service, action: 'terminate' }),
                },
              ]}
            />
          );
        }}
      />
      {changed ? (
        <Confirm
          title={changed.action === 'terminate' ? t('billing.end-now') : t('staff.suspend')}
          text={changed.action === 'terminate' ? t('billing.end-now-text') : t('billing.suspend-text')}
          action={changed.action === 'terminate' ? t('billing.end-now') : t('staff.suspend')}
          {...(changed.action === 'terminate' ? { typed: changed.service.product.name } : {})}
          onConfirm={async () => change.mutateAsync({ id: changed.service.id, action: changed.action })}
          onClose={() => setChanged(null)}
        />
      ) : null}
    </Card>
  );
}
