import type { Invoice } from '@panel/client';
import { useState } from 'react';
import { useApi } from '../api/context.js';
import { useChange, useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { saveBlob } from '../ui/download.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { useSearchParams } from '../ui/search-params.js';
import { Loaded, Note } from '../ui/states.js';
import { Status } from '../ui/status.js';
import { ResourceTable } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { usePaymentMethods } from './payment-methods.js';
import { useTaxFacts } from './tax.js';
import { TransferDialog } from './transfer.js';

/** With the account for its invoice. */
export const transferPath = (invoiceId: string): string => `/billing?transfer=${invoiceId}`;

export function Invoices() {
  const { t, money, date } = useI18n();
  const api = useApi();
  const toasts = useToasts();
  const [paid, setPaid] = useState<Invoice | null>(null);
  const [search, setSearch] = useSearchParams();
  const transferred = search.get('transfer');
  const download = async ({ id, number }: Invoice, format: 'pdf' | 'xml'): Promise<void> => {
    try {
      const headers = { accept: `application/${format}` };
      const response = await api.call(async (client) =>
        client.download('/billing/invoices/{id}', { params: { id }, query: { format }, headers }),
      );
      saveBlob(`${number ?? id}.${format}`, await response.blob());
    } catch (error) {
      toasts.showError(error);
    }
  };
  const taxFacts = useTaxFacts();
  const isTaxed = ({ tax_treatment }: Invoice): boolean => tax_treatment === 'standard';
  const isOpen = ({ status, pending_payment }: Invoice): boolean =>
    pending_payment === null && (status === 'unpaid' || status === 'overdue');
  return (
    <>
      <ResourceTable
        label={t('billing.invoices')}
        queryKey={['billing', 'invoices']}
        read={async (client, query) => client.get('/billing/invoices', { query })}
        hasSearch
        empty={t('billing.no-invoices')}
        idOf={({ id }) => id}
        columns={[
          { label: t('billing.number'), cell: ({ number }) => number ?? '–', isName: true },
          {
            label: t('field.status'),
            cell: ({ status, pending_payment }) => (
              <>
                <Status value={status} />
                {pending_payment === null ? null : <p className="faint">{t('billing.payment-pending')}</p>}
              </>
            ),
          },
          { label: t('billing.due'), cell: ({ due_at }) => date(due_at) },
          {
            label: t('store.tax'),
            cell: (invoice) =>
              taxFacts(invoice).map(([name, value]) => (
                <div key={name}>
                  {isTaxed(invoice) ? <>{name} </> : null}
                  {value}
                </div>
              )),
          },
          { label: t('store.total'), cell: ({ total }) => money(total), isNumber: true },
        ]}
        actions={(invoice) => (
          <>
            {isOpen(invoice) ? (
              <Button kind="primary" onClick={() => setPaid(invoice)}>
                {t('billing.pay')}
              </Button>
            ) : null}
            <Button onClick={() => void download(invoice, 'pdf')}>PDF</Button>
            <Button onClick={() => void download(invoice, 'xml')}>XML</Button>
          </>
        )}
      />
      {paid ? (
        <PayDialog invoice={paid} onTransfer={(transfer) => setSearch({ transfer })} onClose={() => setPaid(null)} />
      ) : null}
      {transferred === null ? null : <TransferDialog invoiceId={transferred} onClose={() => setSearch({})} />}
    </>
  );
}

interface PayDialogProps {
  readonly invoice: Invoice;
  readonly onTransfer: (invoiceId: string) => void;
  readonly onClose: () => void;
}

function PayDialog({ invoice, onTransfer, onClose }: PayDialogProps) {
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
      isLoading={methods.isLoading}
      title={`${t('billing.pay')} ${invoice.number ?? ''}`}
      action={t('store.pay', { total: money(invoice.total) })}
      onClose={onClose}
      fields={[methods.field]}
      onSubmit={async ({ payment_method }) => {
        const { payment_url } = await pay.mutateAsync(String(payment_method));
        if (payment_method === 'manual') onTransfer(invoice.id);
        if (payment_url !== null) location.assign(payment_url);
      }}
    />
  );
}

const profileFields = ['name', 'company', 'address', 'country', 'vat_number', 'buyer_reference'] as const;

export function BillingProfile() {
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
          {data.tax_exemption === null ? null : <Note>{t('billing.tax-exempt', { reason: data.tax_exemption })}</Note>}
          <Form
            fields={profileFields.map((name) => ({
              name,
              label: maybe(`billing.profile-${name}`, name),
              value: data[name],
              ...(name === 'vat_number' && data.vat_state !== 'none'
                ? { hint: maybe(`billing.vat-${data.vat_state}`, data.vat_state) }
                : {}),
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
