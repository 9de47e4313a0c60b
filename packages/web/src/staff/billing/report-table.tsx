import type { PanelClient } from '@panel/client';
import { useData } from '../../api/use-data.js';
import { type Key, useI18n } from '../../i18n/i18n.js';
import { Empty, Loaded } from '../../ui/states.js';
import { type Column, Table } from '../../ui/table.js';
import { type ReportSum, reportTotals } from './report-totals.js';

interface Sum<T> extends ReportSum<T> {
  readonly label: Key;
}

interface ReportTableProps<T> {
  readonly name: string;
  /** Of the request. */
  readonly query: Readonly<Record<string, string>>;
  readonly read: (client: PanelClient) => Promise<readonly T[]>;
  readonly texts: readonly Column<T>[];
  readonly sums: readonly Sum<T>[];
  readonly idOf: (row: T) => string;
  readonly monthOf?: (row: T) => string;
}

/** Rows, then what they sum to in each currency. */
export function ReportTable<T extends { readonly currency: string }>(props: ReportTableProps<T>) {
  const { name, query, read, texts, sums, idOf, monthOf = () => '' } = props;
  const { t, money, maybe } = useI18n();
  const report = useData(['staff', 'billing', 'reports', name, query], read);
  const label = maybe(`report.${name}`, name);
  return (
    <Loaded query={report}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty text={t('accounting.none')} />
        ) : (
          <div className="stack">
            <Table
              label={label}
              items={rows}
              idOf={(row) => `${idOf(row)} ${row.currency}`}
              columns={[
                ...texts,
                ...sums.map(({ label: column, amount }) => ({
                  label: t(column),
                  cell: (row: T) => money({ amount: amount(row), currency: row.currency }),
                  isNumber: true,
                })),
              ]}
            />
            <h3>{t('accounting.totals')}</h3>
            <Table
              label={t('accounting.totals')}
              items={reportTotals(rows, sums, monthOf)}
              idOf={({ currency }) => currency}
              columns={[
                { label: t('setting.currency'), cell: ({ currency }) => currency, isName: true },
                ...sums.map(({ label: column }, index) => ({
                  label: t(column),
                  cell: ({ currency, amounts }: { readonly currency: string; readonly amounts: readonly number[] }) =>
                    money({ amount: amounts[index] ?? 0, currency }),
                  isNumber: true,
                })),
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}
