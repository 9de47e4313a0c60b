export interface ReportSum<T> {
  /** Of a row, in minor units. */
  readonly amount: (row: T) => number;
  /** A state at the end of a month, not what came in it: the last month counts. */
  readonly isState?: boolean;
}

interface ReportTotal {
  readonly currency: string;
  /** In the order of the sums. */
  readonly amounts: readonly number[];
}

/** By currency, in the order of the rows. */
export function reportTotals<T extends { readonly currency: string }>(
  rows: readonly T[],
  sums: readonly ReportSum<T>[],
  monthOf: (row: T) => string,
): ReportTotal[] {
  const last = rows.map(monthOf).reduce((latest, month) => (month > latest ? month : latest), '');
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const amounts = sums.map(({ amount, isState }) =>
      own.reduce((sum, row) => (isState && monthOf(row) !== last ? sum : sum + amount(row)), 0),
    );
    return { currency, amounts };
  });
}

/** "2026-01" of the month before `now`, in the time zone of the browser. */
export function lastMonth(now: Date): string {
  const month = new Date(now.getFullYear(), now.getMonth() - 1, 1);
  return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
}
