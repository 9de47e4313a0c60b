import { useState } from 'react';
import type { Invoice, Service } from '@panel/client';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { saveBlob } from '../../console/export.js';
import { type Key, useI18n } from '../../i18n/i18n.js';
import { MoreTexts } from '../../i18n/more-texts.js';
import { useApi } from '../../net/context.js';
import { newKey, useChange, useData } from '../../net/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Form } from '../../parts/form.js';
import { Menu } from '../../parts/menu.js';
import { Card, Page } from '../../parts/page.js';
import { Loaded } from '../../parts/states.js';
import { Status } from '../../parts/status.js';
import { ResourceTable, Table } from '../../parts/table.js';
import { useToasts } from '../../parts/toasts.js';
import { usePaymentMethods } from './store.js';

const tabs: readonly { readonly path: string; readonly label: Key }[] = [
  { path: '/billing', label: 'billing.invoices' },
  { path: '/billing/services', label: 'billing.services' },
  { path: '/billing/credits', label: 'billing.credits' },
  { path: '/billing/profile', label: 'billing.profile' },
];

export function BillingArea() {
  return (
    <MoreTexts>
      <BillingPages />
    </MoreTexts>
  );
}

function BillingPages() {
  const { t } = useI18n();
  const [path] = useLocation();
  return (
    <Page title={t('nav.billing')}>
      <nav className="tabs" aria-label={t('nav.billing')}>
        {tabs.map((tab) => (
          <Link key={tab.path} to={tab.path} aria-current={path === tab.path ? 'page' : undefined}>
            {t(tab.label)}
          </Link>
        ))}
      </nav>
      <Switch>
        <Route path="/billing">
          <Invoices />
        </Route>
        <Route path="/billing/services">
          <Services />
        </Route>
        <Route path="/billing/credits">
          <Credits />
        </Route>
        <Route path="/billing/profile">
          <BillingProfile />
        </Route>
        <Route>
          <Redirect to="/billing" replace />
        </Route>
      </Switch>
    </Page>
  );
}

function Invoices() {
  const { t, money, date } = useI18n();
  const api = useApi();
  const toasts = useToasts();
  const [paid, setPaid] = useState<Invoice | null>(null);
  const download = async ({ id, number }: Invoice): Promise<void> => {
    try {
      const headers = { accept: 'application/pdf' };
      const response = await api.call(async (client) =>
        client.download('/billing/invoices/{id}', { params: { id }, query: { format: 'pdf' }, headers }),
      );
      saveBlob(`${number ?? id}.pdf`, await response.blob());
    } catch (error) {
      toasts.showError(error);
    }
  };
  const isOpen = ({ status }: Invoice): boolean => status === 'unpaid' || status === 'overdue';
  return (
    <>
      <ResourceTable
        label={t('billing.invoices')}
        queryKey={['billing', 'invoices']}
        read={async (client, query) => client.get('/billing/invoices', { query })}
        empty={t('billing.no-invoices')}
        idOf={({ id }) => id}
        columns={[
          { label: t('billing.number'), cell: ({ number }) => number ?? '–', isName: true },
          { label: t('staff.status'), cell: ({ status }) => <Status value={status} /> },
          { label: t('billing.due'), cell: ({ due_at }) => date(due_at) },
          { label: t('store.total'), cell: ({ total }) => money(total), isNumber: true },
        ]}
        actions={(invoice) => (
          <>
            {isOpen(invoice) ? (
              <Button kind="primary" onClick={() => setPaid(invoice)}>
                {t('billing.pay')}
              </Button>
            ) : null}
            <Button onClick={() => void download(invoice)}>PDF</Button>
          </>
        )}
      />
      {paid ? <PayDialog invoice={paid} onClose={() => setPaid(null)} /> : null}
    </>
  );
}

function PayDialog({ invoice, onClose }: { readonly invoice: Invoice; readonly onClose: () => void }) {
  const { t, money } = useI18n();
  const methods = usePaymentMethods();
  const pay = useChange(
    async (client, payment_method: string) => {
      const body = { payment_method, return_url: `${location.origin}/billing` };
      return (await client.post('/billing/invoices/{id}/pay', { params: { id: invoice.id }, body })).data;
    },
    [['billing']],
  );
  return (
    <FormDialog
      key={methods.length}
      title={`${t('billing.pay')} ${invoice.number ?? ''}`}
      action={t('store.pay', { total: money(invoice.total) })}
      onClose={onClose}
      fields={[
        {
          name: 'payment_method',
          label: t('store.payment-method'),
          type: 'select',
          options: methods,
          isRequired: true,
          isWide: true,
        },
      ]}
      onSubmit={async ({ payment_method }) => {
        const { payment_url } = await pay.mutateAsync(String(payment_method));
        if (payment_url !== null) location.assign(payment_url);
      }}
    />
  );
}

function Services() {
  const { t, money, date } = useI18n();
  const toasts = useToasts();
  const [ended, setEnded] = useState<Service | null>(null);
  const cancel = useChange(
    async (client, id: string) => client.delete('/billing/services/{id}', { params: { id } }),
    [['billing', 'services']],
  );
  const resume = useChange(
    async (client, id: string) => client.post('/billing/services/{id}/resume', { params: { id } }),
    [['billing', 'services']],
  );
  return (
    <>
      <ResourceTable
        label={t('billing.services')}
        queryKey={['billing', 'services']}
        read={async (client, query) => client.get('/billing/services', { query })}
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
          { label: t('staff.status'), cell: ({ status }) => <Status value={status} /> },
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
              service.cancel_at_period_end
                ? { label: t('billing.resume'), act: () => resume.mutate(service.id, { onError: toasts.showError }) }
                : { label: t('billing.cancel'), isDanger: true, act: () => setEnded(service) },
            ]}
          />
        )}
      />
      {ended ? (
        <Confirm
          title={t('billing.cancel')}
          text={t('billing.cancel-text')}
          action={t('billing.cancel')}
          onConfirm={async () => cancel.mutateAsync(ended.id)}
          onClose={() => setEnded(null)}
        />
      ) : null}
    </>
  );
}

function Credits() {
  const { t, money, date } = useI18n();
  const methods = usePaymentMethods().filter(({ value }) => value !== 'credits');
  const credits = useData(['billing', 'credits'], async (client) => (await client.get('/billing/credits')).data);
  const [key] = useState(newKey);
  const buy = useChange(
    async (client, { amount, payment_method }: { amount: number; payment_method: string }) =>
      (
        await client.post('/billing/credits', {
          body: { amount, payment_method, return_url: `${location.origin}/billing` },
          idempotencyKey: key,
        })
      ).data,
    [['billing']],
  );
  return (
    <Loaded query={credits}>
      {({ balance, currency, entries }) => (
        <>
          <Card title={t('billing.balance')}>
            <p>
              <strong>{money({ amount: balance, currency })}</strong>
            </p>
            {methods.length > 0 ? (
              <Form
                fields={[
                  {
                    name: 'amount',
                    label: t('billing.amount', { currency }),
                    type: 'number',
                    min: 1,
                    isRequired: true,
                  },
                  { name: 'payment_method', label: t('store.payment-method'), type: 'select', options: methods },
                ]}
                action={t('billing.buy-credits')}
                onSubmit={async ({ amount, payment_method }) => {
                  const { payment_url } = await buy.mutateAsync({
                    amount: Math.round(Number(amount) * 100),
                    payment_method: String(payment_method),
                  });
                  if (payment_url !== null) location.assign(payment_url);
                }}
              />
            ) : null}
          </Card>
          <Table
            label={t('billing.credits')}
            items={entries}
            idOf={({ id }) => id}
            columns={[
              { label: t('property.reason'), cell: ({ reason }) => reason, isName: true },
              { label: t('activity.when'), cell: ({ created_at }) => date(created_at) },
              { label: t('store.total'), cell: ({ amount }) => money(amount), isNumber: true },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

const profileFields = ['name', 'company', 'address', 'country', 'vat_number'] as const;

function BillingProfile() {
  const { t, maybe } = useI18n();
  const toasts = useToasts();
  const profile = useData(['billing', 'profile'], async (client) => (await client.get('/billing/profile')).data);
  const save = useChange(
    async (client, body: Record<string, string>) => client.put('/billing/profile', { body }),
    [['billing', 'profile']],
  );
  return (
    <Loaded query={profile}>
      {(data) => (
        <Card title={t('billing.profile')}>
          <Form
            fields={profileFields.map((name) => ({
              name,
              label: maybe(`billing.profile-${name}`, name),
              value: data[name],
            }))}
            action={t('action.save')}
            onSubmit={async (values) => {
              await save.mutateAsync(
                Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
              );
              toasts.show(t('action.saved'));
            }}
          />
        </Card>
      )}
    </Loaded>
  );
}
