import type { Credits } from '@panel/client';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useChange, useCreate, useData } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Form } from '../ui/form.js';
import { Below, Card } from '../ui/page.js';
import { Empty, Loaded } from '../ui/states.js';
import { ResourceTable, Table } from '../ui/table.js';
import { RedeemGiftCode } from './gift-code.js';
import { usePaymentMethods } from './payment-methods.js';
import { TransferDialog } from './transfer.js';

/** 100 for most, 1 for the yen. */
function minorUnits(amount: number, currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return Math.round(amount * 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export function CreditsPage() {
  const credits = useData(['billing', 'credits'], async (client) => (await client.get('/billing/credits')).data);
  const methods = usePaymentMethods();
  return (
    <>
      <Loaded query={credits}>
        {(data) => (
          <>
            <Balance credits={data} />
            <Below isReady={!methods.isLoading}>
              <Entries credits={data} />
            </Below>
          </>
        )}
      </Loaded>
      <Below isReady={!credits.isPending && !methods.isLoading}>
        <RedeemGiftCode />
        <StoredMethods />
      </Below>
    </>
  );
}

function Balance({ credits: { balance, promotional, currency } }: { readonly credits: Credits }) {
  const { t, money } = useI18n();
  const [transferred, setTransferred] = useState<string | null>(null);
  const methods = usePaymentMethods().list.filter(({ value }) => value !== 'credits');
  const buy = useCreate(
    async (client, { amount, payment_method }: { amount: number; payment_method: string }, idempotencyKey) =>
      (
        await client.post('/billing/credits', {
          body: { amount, payment_method, return_url: `${location.origin}/billing` },
          idempotencyKey,
        })
      ).data,
    [['billing']],
  );
  return (
    <Card title={t('billing.balance')}>
      <p>
        <strong>{money({ amount: balance, currency })}</strong>
      </p>
      {promotional > 0 ? (
        <p className="faint">{t('billing.promotional', { amount: money({ amount: promotional, currency }) })}</p>
      ) : null}
      {methods.length > 0 ? (
        <Form
          fields={[
            { name: 'amount', label: t('billing.amount', { currency }), type: 'number', min: 1, isRequired: true },
            { name: 'payment_method', label: t('store.payment-method'), type: 'select', options: methods },
          ]}
          action={t('billing.buy-credits')}
          onSubmit={async ({ amount, payment_method }) => {
            const { payment_url, invoice } = await buy.mutateAsync({
              amount: minorUnits(Number(amount), currency),
              payment_method: String(payment_method),
            });
            if (payment_url !== null) location.assign(payment_url);
            if (payment_method === 'manual') setTransferred(invoice.id);
          }}
        />
      ) : null}
      {transferred === null ? null : <TransferDialog invoiceId={transferred} onClose={() => setTransferred(null)} />}
    </Card>
  );
}

function Entries({ credits: { entries } }: { readonly credits: Credits }) {
  const { t, money, date } = useI18n();
  if (entries.length === 0) return <Empty text={t('billing.no-credits')} />;
  return (
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
  );
}

function StoredMethods() {
  const { t, maybe, date } = useI18n();
  const { confirm, dialog } = useConfirm();
  const remove = useChange(
    async (client, id: string) => client.delete('/billing/stored-methods/{id}', { params: { id } }),
    [['billing', 'stored-methods']],
  );
  const askToRemove = ({ id, label }: { readonly id: string; readonly label: string }) =>
    confirm({
      title: t('billing.stored-method-remove'),
      text: t('billing.stored-method-remove-text', { name: label }),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(id),
    });
  return (
    <Card title={t('billing.stored-methods')}>
      <ResourceTable
        label={t('billing.stored-methods')}
        queryKey={['billing', 'stored-methods']}
        read={async (client, query) => client.get('/billing/stored-methods', { query })}
        empty={t('billing.no-stored-methods')}
        idOf={({ id }) => id}
        columns={[
          { label: t('field.name'), cell: ({ label }) => label, isName: true },
          { label: t('store.payment-method'), cell: ({ gateway }) => maybe(`payment.${gateway}`, gateway) },
          { label: t('activity.when'), cell: ({ created_at }) => date(created_at) },
        ]}
        actions={(method) => <Button onClick={() => askToRemove(method)}>{t('action.remove')}</Button>}
      />
      {dialog}
    </Card>
  );
}
