import { saveText } from '../../ui/download.js';
import { useI18n } from '../../i18n/i18n.js';
import { useApi } from '../../api/context.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { Empty, Loaded, Note } from '../../ui/states.js';
import { Table } from '../../ui/table.js';
import { useToasts } from '../../ui/toasts.js';

const reports = ['revenue', 'tax', 'recurring-revenue', 'open-invoices'] as const;

export function Reports() {
  const { t, money, number } = useI18n();
  const api = useApi();
  const toasts = useToasts();
  const recurring = useData(
    ['staff', 'billing', 'reports', 'recurring-revenue'],
    async (client) => (await client.get('/admin/billing/reports/recurring-revenue')).data.rows,
  );
  const discrepancies = useData(
    ['staff', 'billing', 'reports', 'discrepancies'],
    async (client) => (await client.get('/admin/billing/reports/discrepancies')).data.discrepancies,
  );
  const download = async (report: (typeof reports)[number]): Promise<void> => {
    try {
      const headers = { accept: 'text/csv' };
      const response = await api.call(async (client) =>
        client.download(`/admin/billing/reports/${report}`, { query: { format: 'csv' }, headers }),
      );
      saveText(`${report}.csv`, await response.text());
    } catch (error) {
      toasts.showError(error);
    }
  };
  return (
    <Card
      title={t('billing.reports')}
      actions={
        <div className="row">
          {reports.map((report) => (
            <Button key={report} onClick={() => void download(report)}>
              {t(`report.${report}`)} (CSV)
            </Button>
          ))}
        </div>
      }
    >
      <Loaded query={recurring}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={t('billing.no-revenue')} />
          ) : (
            <Table
              label={t('report.recurring-revenue')}
              items={rows}
              idOf={({ month, currency }) => `${month} ${currency}`}
              columns={[
                { label: t('cron.month'), cell: ({ month }) => month, isName: true },
                { label: t('report.recurring-revenue'), cell: (row) => money(row), isNumber: true },
                { label: t('billing.services'), cell: ({ active_services }) => active_services, isNumber: true },
                { label: t('report.new'), cell: ({ new_services }) => new_services, isNumber: true },
                { label: t('report.ended'), cell: ({ ended_services }) => ended_services, isNumber: true },
                { label: t('report.churn'), cell: ({ churn }) => `${number(churn * 100)} %`, isNumber: true },
              ]}
            />
          )
        }
      </Loaded>
      <Loaded query={discrepancies} rows={1}>
        {(list) =>
          list.length === 0 ? (
            <p className="faint">{t('report.no-discrepancies')}</p>
          ) : (
            <Note kind="warning">
              <p>{t('report.discrepancies')}</p>
              <ul>
                {list.map(({ kind, reference, detail, repaired }) => (
                  <li key={`${kind} ${reference}`}>
                    {`${kind} ${reference}: ${detail}`} {repaired ? t('report.repaired') : ''}
                  </li>
                ))}
              </ul>
            </Note>
          )
        }
      </Loaded>
    </Card>
  );
}
