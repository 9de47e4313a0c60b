import { useState } from 'react';
import type { Product } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useChange, useCreate } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { FormDialog, textOf } from '../../ui/form-dialog.js';
import type { FormValues } from '../../ui/form.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { ResourceTable } from '../../ui/table.js';
import { runSettingsOf, useRunSettingsFields } from '../run-settings.js';
import { useEggChoices } from '../choices.js';
import { staleBilling, useBillingDenial } from './rights.js';

const stale = [...staleBilling, ['store']];

export function Products() {
  const { t, money } = useI18n();
  const why = useBillingDenial();
  const [edited, setEdited] = useState<Product | 'new' | null>(null);
  const { confirm, dialog } = useConfirm();
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/billing/products/{id}', { params: { id } }),
    stale,
  );
  const askToRemove = (removing: Product) =>
    confirm({
      title: removing.name,
      text: t('billing.product-remove-text'),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Card
      title={t('staff.products')}
      actions={
        <Button kind="primary" why={why('billing.create')} onClick={() => setEdited('new')}>
          {t('staff.create-product')}
        </Button>
      }
    >
      <ResourceTable
        label={t('staff.products')}
        queryKey={['staff', 'billing', 'products']}
        read={async (client, query) => client.get('/admin/billing/products', { query })}
        hasSearch
        empty={t('staff.no-products')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          { label: t('staff.category'), cell: ({ category }) => category || '–' },
          {
            label: t('store.price'),
            cell: ({ plans }) => plans.map((plan) => money(plan.price)).join(', ') || '–',
            isNumber: true,
          },
          { label: t('billing.stock'), cell: ({ stock }) => stock ?? '∞', isNumber: true },
          { label: t('field.status'), cell: ({ active }) => (active ? t('staff.on') : t('staff.off')) },
        ]}
        actions={(product) => (
          <Menu
            label={t('servers.actions', { name: product.name })}
            items={[
              { label: t('action.edit'), why: why('billing.update'), act: () => setEdited(product) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('billing.delete'),
                act: () => askToRemove(product),
              },
            ]}
          />
        )}
      />
      {edited ? <ProductDialog product={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {dialog}
    </Card>
  );
}

const number = { type: 'number' as const, isRequired: true, min: 0 };

function ProductDialog({ product, onClose }: { readonly product: Product | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const eggs = useEggChoices();
  const server = product?.server;
  const settings = useRunSettingsFields(server ?? undefined);
  const [plan] = product?.plans ?? [];
  const save = useCreate(async (client, values: FormValues, idempotencyKey): Promise<unknown> => {
    const stock = textOf(values.stock);
    const common = {
      name: String(values.name),
      category: String(values.category),
      description: String(values.description),
      active: values.active === true,
      stock: stock === undefined ? null : Number(stock),
      server: {
        ...server,
        egg_id: String(values.egg_id),
        memory: Number(values.memory),
        cpu: Number(values.cpu),
        disk: Number(values.disk),
        databases_limit: Number(values.databases_limit),
        backups_limit: Number(values.backups_limit),
        ...runSettingsOf(values),
      },
    };
    const price = Number(values.price);
    if (!product) {
      return client.post('/admin/billing/products', { body: { ...common, price }, idempotencyKey });
    }
    const plans = product.plans.map((one) => (one.id === plan?.id ? { ...one, price } : one));
    return client.put('/admin/billing/products/{id}', { params: { id: product.id }, body: { ...common, plans } });
  }, stale);
  return (
    <FormDialog
      isLoading={eggs.isLoading}
      title={product?.name ?? t('staff.create-product')}
      action={product ? t('action.save') : t('staff.create-product')}
      onClose={onClose}
      onSubmit={save.mutateAsync}
      fields={[
        { name: 'name', label: t('field.name'), value: product?.name ?? '', isRequired: true },
        { name: 'category', label: t('staff.category'), value: product?.category ?? '' },
        {
          name: 'price',
          label: t('staff.price-minor'),
          ...number,
          value: plan?.price.amount ?? '',
          hint: plan ? t('billing.price-of-plan', { name: plan.name }) : t('staff.price-hint'),
        },
        {
          name: 'stock',
          label: t('billing.stock'),
          type: 'number',
          value: product?.stock ?? '',
          min: 0,
          hint: t('hosts.unlimited-hint'),
        },
        { name: 'egg_id', label: t('server.game'), type: 'select', options: eggs.list, value: server?.egg_id ?? '' },
        { name: 'memory', label: t('staff.memory-mb'), ...number, value: server?.memory ?? 1024 },
        { name: 'disk', label: t('staff.disk-mb'), ...number, value: server?.disk ?? 5120 },
        { name: 'cpu', label: t('staff.cpu-percent'), ...number, value: server?.cpu ?? 100 },
        { name: 'databases_limit', label: t('staff.databases'), ...number, value: server?.databases_limit ?? 0 },
        { name: 'backups_limit', label: t('staff.backups'), ...number, value: server?.backups_limit ?? 0 },
        ...settings,
        { name: 'active', label: t('billing.in-store'), type: 'check', value: product?.active ?? true },
        { name: 'description', label: t('field.description'), type: 'area', value: product?.description ?? '' },
      ]}
    />
  );
}
