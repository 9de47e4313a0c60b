import { useState } from 'react';
import type { Invoice } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useChange, useCreate } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { Status } from '../../ui/status.js';
import { ResourceTable } from '../../ui/table.js';
import { StatementDialog } from './statement.js';
import { staleBilling as stale, useBillingDenial } from './rights.js';

export function Invoices() {
  const { t, money, date } = useI18n();
  const why = useBillingDenial();
  const [refunding, setRefunding] = useState<Invoice | null>(null);
  const [settling, setSettling] = useState<{ readonly invoice: Invoice; readonly status: 'paid' | 'void' } | null>(
    null,
  );
  const change = useChange(
    async (client, { id, status }: { id: string; status: 'paid' | 'void' }) =>
      client.put('/admin/billing/invoices/{id}', { params: { id }, body: { status } }),
    stale,
  );
  const [isImporting, setIsImporting] = useState(false);
  const isOpen = ({ status }: Invoice): boolean => status === 'unpaid' || status === 'overdue';
  return (
    <Card title={t('billing.invoices')}>
      <Button why={why('billing.update')} onClick={() => setIsImporting(true)}>
        {t('statement.import')}
      </Button>
      {isImporting ? <StatementDialog onClose={() => setIsImporting(false)} /> : null}
      <ResourceTable
        label={t('billing.invoices')}
        queryKey={['staff', 'billing', 'invoices']}
        hasSearch
        read={async (client, query) => client.get('/admin/billing/invoices', { query })}
        empty={t('billing.no-invoices')}
        idOf={({ id }) => id}
        columns={[
          { label: t('billing.number'), cell: ({ number }) => number ?? '–', isName: true },
          {
            label: t('billing.customer'),
            cell: ({ customer, place_conflict, place_evidence }) => (
              <>
                {customer.email}
                {place_conflict ? (
                  <div className="faint">
                    {t('billing.place-conflict', {
                      countries: place_evidence.map(({ country }) => country).join(', '),
                    })}
                  </div>
                ) : null}
              </>
            ),
          },
          { label: t('field.status'), cell: ({ status }) => <Status value={status} /> },
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
              {
                label: t('billing.refund'),
                isDanger: true,
                why: why('billing.update') || (invoice.status !== 'paid' && t('billing.not-paid')),
                act: () => setRefunding(invoice),
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
      {refunding ? <RefundDialog invoice={refunding} onClose={() => setRefunding(null)} /> : null}
    </Card>
  );
}

function RefundDialog({ invoice, onClose }: { readonly invoice: Invoice; readonly onClose: () => void }) {
  const { t, money } = useI18n();
  const open = invoice.total.amount - invoice.refunded.amount;
  const refund = useCreate(
    async (
      client,
      body: { amount: number; destination: 'credits' | 'original'; reason: string; cancel_services: boolean },
      idempotencyKey,
    ) => client.post('/admin/billing/invoices/{id}/refund', { params: { id: invoice.id }, body, idempotencyKey }),
    stale,
  );
  return (
    <FormDialog
      title={`${t('billing.refund')} ${invoice.number ?? ''}`}
      action={t('billing.refund')}
      kind="danger"
      onClose={onClose}
      fields={[
        {
          name: 'amount',
          label: t('staff.amount-minor'),
          type: 'number',
          value: open,
          min: 1,
          max: open,
          isRequired: true,
          hint: t('billing.refund-hint', { total: money({ ...invoice.total, amount: open }) }),
        },
        {
          name: 'destination',
          label: t('billing.refund-to'),
          type: 'select',
          options: [
            { value: 'original', label: t('billing.refund-original') },
            { value: 'credits', label: t('payment.credits') },
          ],
        },
        { name: 'reason', label: t('property.reason'), isWide: true },
        { name: 'cancel_services', label: t('billing.refund-cancel'), type: 'check' },
      ]}
      onSubmit={async ({ amount, destination, reason, cancel_services }) =>
        refund.mutateAsync({
          amount: Number(amount),
          destination: destination === 'credits' ? 'credits' : 'original',
          reason: String(reason),
          cancel_services: cancel_services === true,
        })
      }
    />
  );
}
