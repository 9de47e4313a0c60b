import { type ReactNode, useDeferredValue, useState } from 'react';
import type { ListAnswer, PanelClient } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { type Listed, useData, whileAny } from '../api/use-data.js';
import { Pager, SearchBox } from './pager.js';
import { Empty, Loaded } from './states.js';

export interface Column<T> {
  readonly label: string;
  readonly cell: (item: T) => ReactNode;
  readonly isNumber?: boolean;
  readonly isName?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly idOf: (item: T) => string;
  readonly actions?: (item: T) => ReactNode;
}

/** A table; a list of cards on narrow screens. */
export function Table<T>({ label, items, columns, idOf, actions }: TableProps<T>) {
  const { t } = useI18n();
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" data-number={column.isNumber || undefined}>
                {column.label}
              </th>
            ))}
            {actions ? (
              <th scope="col">
                <span className="only-read">{t('table.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
              {columns.map((column) => (
                <td
                  key={column.label}
                  data-label={column.label}
                  data-number={column.isNumber || undefined}
                  data-name={column.isName || undefined}
                  dir={column.isName ? 'auto' : undefined}
                >
                  {column.cell(item)}
                </td>
              ))}
              {actions ? <td className="row-actions">{actions(item)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search?: string;
}

interface ResourceTableProps<T> extends Omit<TableProps<T>, 'items'> {
  readonly queryKey: readonly unknown[];
  readonly read: (client: PanelClient, query: ListQuery) => Promise<ListAnswer<T>>;
  readonly empty: string;
  /** Offered by an empty list. */
  readonly emptyAction?: ReactNode;
  readonly hasSearch?: boolean;
  /** Polls every `progressMs` meanwhile. */
  readonly isInProgress?: (item: T) => boolean;
  readonly progressMs?: number;
  readonly toolbar?: ReactNode;
}

const perPage = 25;

export function ResourceTable<T>(props: ResourceTableProps<T>) {
  const { queryKey, read, empty, emptyAction, hasSearch = false, isInProgress, progressMs, toolbar, ...table } = props;
  const { t } = useI18n();
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const query = { page, per_page: perPage, ...(wanted === '' ? {} : { search: wanted }) };
  const list = useData<Listed<T>>([...queryKey, query], async (client) => read(client, query), {
    keepsPrevious: true,
    ...(isInProgress ? { every: whileAny(isInProgress, progressMs) } : {}),
  });
  return (
    <div className="stack">
      {hasSearch || toolbar ? (
        <div className="toolbar">
          {hasSearch ? (
            <SearchBox
              label={t('action.search')}
              value={search}
              onChange={(text) => {
                setSearch(text);
                setPage(1);
              }}
            />
          ) : null}
          {toolbar}
        </div>
      ) : null}
      <Loaded query={list}>
        {({ data, meta }) => (
          <>
            {data.length === 0 ? <Empty text={empty}>{emptyAction}</Empty> : <Table {...table} items={data} />}
            <Pager page={page} pages={meta.total_pages} total={meta.total} onPage={setPage} />
          </>
        )}
      </Loaded>
    </div>
  );
}
