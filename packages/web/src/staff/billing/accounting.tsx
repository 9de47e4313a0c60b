import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { useSearchParams } from '../../ui/search-params.js';
import { Empty } from '../../ui/states.js';
import { AccountingReport, type ReportName, reportNames } from './accounting-reports.js';
import { MonthFiles } from './month-files.js';
import { lastMonth } from './report-totals.js';
import { useBillingDenial } from './rights.js';
import { useFile } from './use-file.js';

export function Accounting() {
  const why = useBillingDenial()('billing.view');
  if (why) return <Empty text={why} />;
  return (
    <>
      <MonthFiles />
      <Reports />
    </>
  );
}

/** Report and time are in the address. */
function Reports() {
  const { t, maybe } = useI18n();
  const { save, saving } = useFile();
  const [params, setParams] = useSearchParams();
  const name = reportNames.find((known) => known === params.get('report')) ?? 'recognized-revenue';
  const [initial] = useState(() => lastMonth(new Date()));
  const from = params.get('from') || initial;
  const to = params.get('to') || from;
  const at = params.get('at') ?? '';
  const hasDay = name === 'receivables';
  const change = (changes: Readonly<Record<string, string>>): void =>
    setParams({ ...Object.fromEntries(params), ...changes }, { replace: true });
  const download = async (): Promise<void> => {
    const time = hasDay ? { at } : { from_month: from, to_month: to };
    const query = { ...time, format: 'csv' } as const;
    await save(`${name}.csv`, async (client) =>
      client.download(`/admin/billing/reports/${name}`, { query, headers: { accept: 'text/csv' } }),
    );
  };
  return (
    <Card
      title={maybe(`report.${name}`, name)}
      actions={
        <Button isBusy={saving !== null} onClick={() => void download()}>
          {t('accounting.csv')}
        </Button>
      }
    >
      <div className="fields">
        <ReportSelect name={name} onChange={(report) => change({ report })} />
        {hasDay ? (
          <TimeField type="date" name="at" value={at} label={t('accounting.at')} onChange={change} />
        ) : (
          <>
            <TimeField type="month" name="from" value={from} label={t('accounting.from')} onChange={change} />
            <TimeField type="month" name="to" value={to} label={t('accounting.to')} onChange={change} />
          </>
        )}
      </div>
      <AccountingReport name={name} from={from} to={to} at={at} />
    </Card>
  );
}

function ReportSelect({ name, onChange }: { readonly name: ReportName; readonly onChange: (name: string) => void }) {
  const { t, maybe } = useI18n();
  return (
    <div className="field">
      <label htmlFor="report">{t('accounting.report')}</label>
      <select id="report" value={name} onChange={({ target }) => onChange(target.value)}>
        {reportNames.map((known) => (
          <option key={known} value={known}>
            {maybe(`report.${known}`, known)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TimeFieldProps {
  readonly type: 'month' | 'date';
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
}

function TimeField({ type, name, label, value, onChange }: TimeFieldProps) {
  const id = `report-${name}`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} type={type} value={value} onChange={({ target }) => onChange({ [name]: target.value })} />
    </div>
  );
}
