import { useI18n } from '../../i18n/i18n.js';
import { ReportTable } from './report-table.js';

export const reportNames = ['recognized-revenue', 'tax', 'receivables', 'payments', 'recurring-revenue'] as const;
export type ReportName = (typeof reportNames)[number];

interface ReportProps {
  readonly name: ReportName;
  readonly from: string;
  readonly to: string;
  /** Of receivables; empty: today. */
  readonly at: string;
}

export function AccountingReport({ name, from, to, at }: ReportProps) {
  if (name === 'receivables') return <Receivables at={at} />;
  const Report = ofMonths[name];
  return <Report span={{ from_month: from, to_month: to }} />;
}

interface SpanProps {
  readonly span: { readonly from_month: string; readonly to_month: string };
}

function RecognizedRevenue({ span }: SpanProps) {
  const { t } = useI18n();
  return (
    <ReportTable
      name="recognized-revenue"
      query={span}
      read={async (client) =>
        (await client.get('/admin/billing/reports/recognized-revenue', { query: span })).data.rows
      }
      idOf={({ month, product_id }) => `${month} ${product_id}`}
      monthOf={({ month }) => month}
      texts={[
        { label: t('cron.month'), cell: ({ month }) => month },
        { label: t('accounting.product'), cell: ({ product_name }) => product_name, isName: true },
      ]}
      sums={[
        { label: 'accounting.earned', amount: ({ recognized }) => recognized },
        { label: 'accounting.deferred', amount: ({ deferred }) => deferred, isState: true },
      ]}
    />
  );
}

function Tax({ span }: SpanProps) {
  const { t, number } = useI18n();
  return (
    <ReportTable
      name="tax"
      query={span}
      read={async (client) => (await client.get('/admin/billing/reports/tax', { query: span })).data.rows}
      idOf={({ month, country, treatment, rate }) => [month, country, treatment, rate].join(' ')}
      texts={[
        { label: t('cron.month'), cell: ({ month }) => month },
        { label: t('accounting.country'), cell: ({ country }) => country || '–' },
        { label: t('accounting.rate'), cell: ({ rate }) => `${number(rate, { maximumFractionDigits: 2 })} %` },
        { label: t('accounting.invoices'), cell: ({ invoices }) => number(invoices), isNumber: true },
      ]}
      sums={[
        { label: 'accounting.net', amount: ({ net }) => net },
        { label: 'store.tax', amount: ({ tax }) => tax },
        { label: 'store.total', amount: ({ total }) => total },
      ]}
    />
  );
}

function Receivables({ at }: { readonly at: string }) {
  const { t } = useI18n();
  const query = { at };
  return (
    <ReportTable
      name="receivables"
      query={query}
      read={async (client) => (await client.get('/admin/billing/reports/receivables', { query })).data.rows}
      idOf={({ user_id }) => user_id}
      texts={[{ label: t('billing.customer'), cell: ({ customer, user_id }) => customer || user_id, isName: true }]}
      sums={[
        { label: 'accounting.not-due', amount: ({ not_due }) => not_due },
        { label: 'accounting.overdue-30', amount: ({ overdue_30 }) => overdue_30 },
        { label: 'accounting.overdue-60', amount: ({ overdue_60 }) => overdue_60 },
        { label: 'accounting.overdue-90', amount: ({ overdue_90 }) => overdue_90 },
        { label: 'accounting.overdue-longer', amount: ({ overdue_longer }) => overdue_longer },
        { label: 'accounting.debt', amount: ({ debt }) => debt },
        { label: 'store.total', amount: ({ total }) => total },
      ]}
    />
  );
}

function Payments({ span }: SpanProps) {
  const { t, number } = useI18n();
  return (
    <ReportTable
      name="payments"
      query={span}
      read={async (client) => (await client.get('/admin/billing/reports/payments', { query: span })).data.rows}
      idOf={({ month, gateway }) => `${month} ${gateway}`}
      texts={[
        { label: t('cron.month'), cell: ({ month }) => month },
        { label: t('accounting.gateway'), cell: ({ gateway }) => gateway, isName: true },
        { label: t('accounting.movements'), cell: ({ movements }) => number(movements), isNumber: true },
      ]}
      sums={[
        { label: 'accounting.received', amount: ({ received }) => received },
        { label: 'accounting.refunded', amount: ({ refunded }) => refunded },
        { label: 'accounting.disputed', amount: ({ disputed }) => disputed },
        { label: 'accounting.net', amount: ({ net }) => net },
      ]}
    />
  );
}

function RecurringRevenue({ span }: SpanProps) {
  const { t, number } = useI18n();
  return (
    <ReportTable
      name="recurring-revenue"
      query={span}
      read={async (client) => (await client.get('/admin/billing/reports/recurring-revenue', { query: span })).data.rows}
      idOf={({ month }) => month}
      monthOf={({ month }) => month}
      texts={[
        { label: t('cron.month'), cell: ({ month }) => month, isName: true },
        { label: t('billing.services'), cell: ({ active_services }) => number(active_services), isNumber: true },
        { label: t('report.new'), cell: ({ new_services }) => number(new_services), isNumber: true },
        { label: t('report.ended'), cell: ({ ended_services }) => number(ended_services), isNumber: true },
      ]}
      sums={[{ label: 'report.recurring-revenue', amount: ({ amount }) => amount, isState: true }]}
    />
  );
}

const ofMonths = {
  'recognized-revenue': RecognizedRevenue,
  tax: Tax,
  payments: Payments,
  'recurring-revenue': RecurringRevenue,
} as const;
