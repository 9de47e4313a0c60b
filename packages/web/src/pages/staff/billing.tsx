import { useState } from 'react';
import type { Invoice } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../net/queries.js';
import { newKey, useChange } from '../../net/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { FormDialog } from '../../parts/form-dialog.js';
import type { FormValues } from '../../parts/form.js';
import { Menu } from '../../parts/menu.js';
import { Card, Page } from '../../parts/page.js';
import { Status } from '../../parts/status.js';
import { ResourceTable } from '../../parts/table.js';
import { useToasts } from '../../parts/toasts.js';
import { useEggChoices } from './choices.js';

const stale = [['staff', 'billing']];

export function StaffBilling() {
  const { t } = useI18n();
  return (
    <Page title={t('nav.staff-billing')}>
      <Products />
      <Invoices />
      <Services />
      <Coupons />
    </Page>
  );
}

function useWhy() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  return (right: string) => !may(right) && t('staff.why', { right });
}

function Products() {
  const { t, money } = useI18n();
  const why = useWhy();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Card
      title={t('staff.products')}
      actions={
        <Button kind="primary" why={why('billing.create')} onClick={() => setIsCreating(true)}>
          {t('staff.create-product')}
        </Button>
      }
    >
      <ResourceTable
        label={t('staff.products')}
        queryKey={['staff', 'billing', 'products']}
        read={async (client, query) => client.get('/admin/billing/products', { query })}
        empty={t('staff.no-products')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          { label: t('staff.category'), cell: ({ category }) => category || '–' },
          { label: t('store.price'), cell: ({ plans }) => (plans[0] ? money(plans[0].price) : '–'), isNumber: true },
          { label: t('staff.status'), cell: ({ active }) => (active ? t('staff.on') : t('staff.off')) },
        ]}
      />
      {isCreating ? <CreateProduct onClose={() => setIsCreating(false)} /> : null}
    </Card>
  );
}

function CreateProduct({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  const eggs = useEggChoices();
  const [key] = useState(newKey);
  const create = useChange(async (client, values: FormValues) => {
    const server = {
      egg_id: String(values.egg_id),
      memory: Number(values.memory),
      cpu: Number(values.cpu),
      disk: Number(values.disk),
    };
    const body = {
      name: String(values.name),
      description: String(values.description),
      price: Number(values.price),
      server,
    };
    return client.post('/admin/billing/products', { body, idempotencyKey: key });
  }, stale);
  const number = { type: 'number' as const, isRequired: true };
  return (
    <FormDialog
      key={eggs.length}
      title={t('staff.create-product')}
      action={t('staff.create-product')}
      onClose={onClose}
      onSubmit={create.mutateAsync}
      fields={[
        { name: 'name', label: t('field.name'), isRequired: true },
        { name: 'price', label: t('staff.price-minor'), ...number, hint: t('staff.price-hint') },
        { name: 'egg_id', label: t('server.game'), type: 'select', options: eggs },
        { name: 'memory', label: t('staff.memory-mb'), ...number, value: 1024 },
        { name: 'disk', label: t('staff.disk-mb'), ...number, value: 5120 },
        { name: 'cpu', label: t('staff.cpu-percent'), ...number, value: 100 },
        { name: 'description', label: t('field.description'), type: 'area' },
      ]}
    />
  );
}

function Invoices() {
  const { t, money, date } = useI18n();
  const why = useWhy();
  const [settling, setSettling] = useState<{ readonly invoice: Invoice; readonly status: 'paid' | 'void' } | null>(
    null,
  );
  const change = useChange(
    async (client, { id, status }: { id: string; status: 'paid' | 'void' }) =>
      client.put('/admin/billing/invoices/{id}', { params: { id }, body: { status } }),
    stale,
  );
  const isOpen = ({ status }: Invoice): boolean => status === 'unpaid' || status === 'overdue';
  return (
    <Card title={t('billing.invoices')}>
      <ResourceTable
        label={t('billing.invoices')}
        queryKey={['staff', 'billing', 'invoices']}
        read={async (client, query) => client.get('/admin/billing/invoices', { query })}
        empty={t('billing.no-invoices')}
        idOf={({ id }) => id}
        columns={[
          { label: t('billing.number'), cell: ({ number }) => number ?? '–', isName: true },
          { label: t('billing.customer'), cell: ({ customer }) => customer.email },
          { label: t('staff.status'), cell: ({ status }) => <Status value={status} /> },
          { label: t('billing.due'), cell: ({ due_at }) => date(due_at) },
          { label: t('store.total'), cell: ({ total }) => money(total), isNumber: true },
        ]}
        actions={(invoice) => (
          <Menu
            label={t('servers.actions', { name: invoice.number ?? invoice.id })}
            items={[
              {
                label: t('staff.mark-paid'),
                why: why('billing.update') || (!isOpen(invoice) && t('staff.not-open')),
                act: () => setSettling({ invoice, status: 'paid' }),
              },
              {
                label: t('staff.void'),
                why: why('billing.update') || (!isOpen(invoice) && t('staff.not-open')),
                act: () => setSettling({ invoice, status: 'void' }),
              },
            ]}
          />
        )}
      />
      {settling ? (
        <Confirm
          title={`${t('billing.number')} ${settling.invoice.number ?? ''}`}
          text={money(settling.invoice.total)}
          action={settling.status === 'paid' ? t('staff.mark-paid') : t('staff.void')}
          onConfirm={async () => change.mutateAsync({ id: settling.invoice.id, status: settling.status })}
          onClose={() => setSettling(null)}
        />
      ) : null}
    </Card>
  );
}

function Services() {
  const { t, money, date } = useI18n();
  const why = useWhy();
  const toasts = useToasts();
  const retry = useChange(
    async (client, id: string) => client.post('/admin/billing/services/{id}/retry', { params: { id } }),
    stale,
  );
  return (
    <Card title={t('billing.services')}>
      <ResourceTable
        label={t('billing.services')}
        queryKey={['staff', 'billing', 'services']}
        read={async (client, query) => client.get('/admin/billing/services', { query })}
        empty={t('billing.no-services')}
        idOf={({ id }) => id}
        columns={[
          { label: t('store.product'), cell: ({ product, plan }) => `${product.name} · ${plan.name}`, isName: true },
          {
            label: t('staff.status'),
            cell: ({ status, error }) => (
              <span title={error ?? ''}>
                <Status value={status} />
              </span>
            ),
          },
          { label: t('billing.next-due'), cell: ({ next_due_at }) => date(next_due_at) },
          { label: t('store.price'), cell: ({ price }) => money(price), isNumber: true },
        ]}
        actions={({ id, status }) => (
          <Button
            why={why('billing.update') || (status !== 'failed' && t('staff.not-failed'))}
            onClick={() => retry.mutate(id, { onError: toasts.showError })}
          >
            {t('action.retry')}
          </Button>
        )}
      />
    </Card>
  );
}

function Coupons() {
  const { t } = useI18n();
  const why = useWhy();
  const toasts = useToasts();
  const [isCreating, setIsCreating] = useState(false);
  const create = useChange(
    async (client, body: { code: string; type: 'percent' | 'fixed'; value: number }) =>
      client.post('/admin/billing/coupons', { body, idempotencyKey: newKey() }),
    stale,
  );
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/billing/coupons/{id}', { params: { id } }),
    stale,
  );
  return (
    <Card
      title={t('staff.coupons')}
      actions={
        <Button kind="primary" why={why('billing.create')} onClick={() => setIsCreating(true)}>
          {t('staff.create-coupon')}
        </Button>
      }
    >
      <ResourceTable
        label={t('staff.coupons')}
        queryKey={['staff', 'billing', 'coupons']}
        read={async (client, query) => client.get('/admin/billing/coupons', { query })}
        empty={t('staff.no-coupons')}
        idOf={({ id }) => id}
        columns={[
          { label: t('store.coupon'), cell: ({ code }) => <code>{code}</code>, isName: true },
          {
            label: t('staff.value'),
            cell: ({ type, value, currency }) => (type === 'percent' ? `${value} %` : `${value} ${currency ?? ''}`),
            isNumber: true,
          },
          { label: t('staff.uses'), cell: ({ uses, max_uses }) => `${uses} / ${max_uses ?? '∞'}`, isNumber: true },
        ]}
        actions={({ id }) => (
          <Button why={why('billing.delete')} onClick={() => remove.mutate(id, { onError: toasts.showError })}>
            {t('action.remove')}
          </Button>
        )}
      />
      {isCreating ? (
        <FormDialog
          title={t('staff.create-coupon')}
          action={t('staff.create-coupon')}
          onClose={() => setIsCreating(false)}
          fields={[
            { name: 'code', label: t('store.coupon'), isRequired: true },
            {
              name: 'type',
              label: t('network.kind'),
              type: 'select',
              options: [
                { value: 'percent', label: t('staff.percent') },
                { value: 'fixed', label: t('staff.fixed') },
              ],
            },
            { name: 'value', label: t('staff.value'), type: 'number', isRequired: true },
          ]}
          onSubmit={async ({ code, type, value }) =>
            create.mutateAsync({
              code: String(code),
              type: type === 'fixed' ? 'fixed' : 'percent',
              value: Number(value),
            })
          }
        />
      ) : null}
    </Card>
  );
}
