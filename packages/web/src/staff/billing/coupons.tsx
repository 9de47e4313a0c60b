import { useState } from 'react';
import type { Coupon } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useChange, useCreate } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { FormDialog, textOf } from '../../ui/form-dialog.js';
import type { FormValues } from '../../ui/form.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { ResourceTable } from '../../ui/table.js';
import { staleBilling, useBillingDenial } from './rights.js';

export function Coupons() {
  const { t, date } = useI18n();
  const why = useBillingDenial();
  const [edited, setEdited] = useState<Coupon | 'new' | null>(null);
  const { confirm, dialog } = useConfirm();
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/billing/coupons/{id}', { params: { id } }),
    staleBilling,
  );
  const askToRemove = (removing: Coupon) =>
    confirm({
      title: removing.code,
      text: t('billing.coupon-remove-text'),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(removing.id),
    });
  return (
    <Card
      title={t('staff.coupons')}
      actions={
        <Button kind="primary" why={why('billing.create')} onClick={() => setEdited('new')}>
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
          { label: t('field.expires'), cell: ({ expires_at }) => date(expires_at) },
        ]}
        actions={(coupon) => (
          <Menu
            label={t('servers.actions', { name: coupon.code })}
            items={[
              { label: t('action.edit'), why: why('billing.update'), act: () => setEdited(coupon) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('billing.delete'),
                act: () => askToRemove(coupon),
              },
            ]}
          />
        )}
      />
      {edited ? <CouponDialog coupon={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {dialog}
    </Card>
  );
}

function CouponDialog({ coupon, onClose }: { readonly coupon: Coupon | null; readonly onClose: () => void }) {
  const { t } = useI18n();
  const save = useCreate(async (client, values: FormValues, idempotencyKey): Promise<unknown> => {
    const limit = textOf(values.max_uses);
    const expires = textOf(values.expires_at);
    const body = {
      code: String(values.code),
      value: Number(values.value),
      max_uses: limit === undefined ? null : Number(limit),
      expires_at: expires === undefined ? null : new Date(expires).toISOString(),
    };
    if (coupon) return client.put('/admin/billing/coupons/{id}', { params: { id: coupon.id }, body });
    const type = values.type === 'fixed' ? ('fixed' as const) : ('percent' as const);
    return client.post('/admin/billing/coupons', { body: { ...body, type }, idempotencyKey });
  }, staleBilling);
  return (
    <FormDialog
      title={coupon?.code ?? t('staff.create-coupon')}
      action={coupon ? t('action.save') : t('staff.create-coupon')}
      onClose={onClose}
      fields={[
        { name: 'code', label: t('store.coupon'), value: coupon?.code ?? '', isRequired: true },
        ...(coupon
          ? []
          : [
              {
                name: 'type',
                label: t('network.kind'),
                type: 'select' as const,
                options: [
                  { value: 'percent', label: t('staff.percent') },
                  { value: 'fixed', label: t('staff.fixed') },
                ],
              },
            ]),
        { name: 'value', label: t('staff.value'), type: 'number', value: coupon?.value ?? '', isRequired: true },
        {
          name: 'max_uses',
          label: t('staff.uses'),
          type: 'number',
          value: coupon?.max_uses ?? '',
          min: 1,
          hint: t('hosts.unlimited-hint'),
        },
        {
          name: 'expires_at',
          label: t('field.expires'),
          type: 'date',
          value: coupon?.expires_at?.slice(0, 10) ?? '',
        },
      ]}
      onSubmit={save.mutateAsync}
    />
  );
}
