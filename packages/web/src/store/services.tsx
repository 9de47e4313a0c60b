import { useState } from 'react';
import type { Service } from '@panel/client';
import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { collect } from '../api/pages.js';
import { useChange, useData } from '../api/use-data.js';
import { Confirm } from '../ui/confirm.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Menu } from '../ui/menu.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { usePaymentMethods } from './payment-methods.js';

const stale = [['billing']];
const running = new Set<Service['status']>(['active', 'suspended']);

type Question = { readonly kind: 'cancel' | 'end' | 'plan'; readonly service: Service };

export function Services() {
  const { t, money, date } = useI18n();
  const toasts = useToasts();
  const [question, setQuestion] = useState<Question | null>(null);
  const cancel = useChange(
    async (client, { id, immediately }: { id: string; immediately: 'true' | 'false' }) =>
      client.delete('/billing/services/{id}', { params: { id }, query: { immediately } }),
    stale,
  );
  const resume = useChange(
    async (client, id: string) => client.post('/billing/services/{id}/resume', { params: { id } }),
    stale,
  );
  const ended = ({ status }: Service) => !running.has(status) && t('billing.not-running');
  const close = (): void => setQuestion(null);
  return (
    <>
      <ResourceTable
        label={t('billing.services')}
        queryKey={['billing', 'services']}
        read={async (client, query) => client.get('/billing/services', { query })}
        hasSearch
        isInProgress={({ status }) => status === 'pending' || status === 'provisioning'}
        empty={t('billing.no-services')}
        idOf={({ id }) => id}
        columns={[
          {
            label: t('store.product'),
            isName: true,
            cell: ({ product, plan, server_id }) =>
              server_id === null ? (
                `${product.name} · ${plan.name}`
              ) : (
                <Link to={`/servers/${server_id}`}>{`${product.name} · ${plan.name}`}</Link>
              ),
          },
          {
            label: t('field.status'),
            cell: ({ status, suspend_reason }) => (
              <>
                <Status value={status} />
                {suspend_reason === null ? null : <p className="faint">{t(`suspended.${suspend_reason}`)}</p>}
              </>
            ),
          },
          { label: t('store.price'), cell: ({ price }) => money(price), isNumber: true },
          {
            label: t('billing.next-due'),
            cell: ({ next_due_at, cancel_at_period_end }) =>
              cancel_at_period_end ? t('billing.ends', { when: date(next_due_at) }) : date(next_due_at),
          },
        ]}
        actions={(service) => (
          <Menu
            label={t('servers.actions', { name: service.product.name })}
            items={[
              {
                label: t('billing.change-plan'),
                why: ended(service),
                act: () => setQuestion({ kind: 'plan', service }),
              },
              service.cancel_at_period_end
                ? { label: t('billing.resume'), act: () => resume.mutate(service.id, { onError: toasts.showError }) }
                : {
                    label: t('billing.cancel'),
                    isDanger: true,
                    why: ended(service),
                    act: () => setQuestion({ kind: 'cancel', service }),
                  },
              {
                label: t('billing.end-now'),
                isDanger: true,
                why: ended(service),
                act: () => setQuestion({ kind: 'end', service }),
              },
            ]}
          />
        )}
      />
      {question?.kind === 'plan' ? <ChangePlan service={question.service} onClose={close} /> : null}
      {question?.kind === 'cancel' ? (
        <Confirm
          title={`${t('billing.cancel')}: ${question.service.config.server_name || question.service.product.name}`}
          text={t('billing.cancel-text')}
          action={t('billing.cancel')}
          onConfirm={async () => cancel.mutateAsync({ id: question.service.id, immediately: 'false' })}
          onClose={close}
        />
      ) : null}
      {question?.kind === 'end' ? (
        <Confirm
          title={t('billing.end-now')}
          text={t('billing.end-now-text')}
          action={t('billing.end-now')}
          typed={question.service.config.server_name || question.service.product.name}
          onConfirm={async () => cancel.mutateAsync({ id: question.service.id, immediately: 'true' })}
          onClose={close}
        />
      ) : null}
    </>
  );
}

/** Of the product or an allowed product. */
function ChangePlan({ service, onClose }: { readonly service: Service; readonly onClose: () => void }) {
  const { t, money } = useI18n();
  const toasts = useToasts();
  const methods = usePaymentMethods();
  const products = useData(['store', 'products'], async (client) => collect(client.pages('/store/products')));
  const own = products.data?.find(({ id }) => id === service.product.id);
  const allowed = new Set([service.product.id, ...(own?.upgrade_product_ids ?? [])]);
  const plans = (products.data ?? [])
    .filter(({ id }) => allowed.has(id))
    .flatMap((product) =>
      product.plans
        .filter((plan) => plan.id !== service.plan.id)
        .map((plan) => ({
          value: `${product.id} ${plan.id}`,
          label: `${product.name} · ${plan.name} · ${money(plan.price)}`,
        })),
    );
  const change = useChange(
    async (client, { plan, payment_method }: { plan: string; payment_method: string }) => {
      const [product_id = '', plan_id = ''] = plan.split(' ');
      const body = { product_id, plan_id, payment_method };
      return (await client.post('/billing/services/{id}/plan', { params: { id: service.id }, body })).data;
    },
    [['billing'], ['servers']],
  );
  return (
    <FormDialog
      isLoading={products.isPending || methods.isLoading}
      title={t('billing.change-plan')}
      action={t('billing.change-plan')}
      onClose={onClose}
      why={plans.length === 0 && t('billing.no-other-plan')}
      fields={[
        { name: 'plan', label: t('store.plan'), type: 'select', options: plans, isRequired: true, isWide: true },
        {
          name: 'payment_method',
          label: t('store.payment-method'),
          type: 'select',
          options: methods.list,
          isWide: true,
        },
      ]}
      onSubmit={async ({ plan, payment_method }) => {
        const { prorated, payment_url } = await change.mutateAsync({
          plan: String(plan),
          payment_method: String(payment_method),
        });
        if (payment_url !== null) location.assign(payment_url);
        else toasts.show(t('billing.plan-changed', { amount: money(prorated) }));
      }}
    >
      <p className="faint">{t('billing.change-plan-text')}</p>
    </FormDialog>
  );
}
