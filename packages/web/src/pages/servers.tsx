import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { pageOf, serversRead } from '../api/first-reads.js';
import { useStaffRights } from '../api/queries.js';
import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { BulkPower } from '../server-list/bulk-power.js';
import { ServerGroups } from '../server-list/server-groups.js';
import { Page } from '../ui/page.js';
import { useSearchParams } from '../ui/search-params.js';
import { Empty, Loaded, Skeleton } from '../ui/states.js';
import { Pager, SearchBox } from '../ui/table.js';

const FirstSteps = lazy(async () => ({ default: (await import('../staff/first-steps.js')).FirstSteps }));

const pollMs = 15_000;

export function ServersPage() {
  const i18n = useI18n();
  const { t } = i18n;
  const [parameters, setParameters] = useSearchParams();
  const search = parameters.get('search') ?? '';
  const page = pageOf(parameters.get('page'));
  const show = (next: { readonly search?: string; readonly page?: string }): void =>
    setParameters(next, { replace: true });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const text = search.trim();
  const { key, read } = serversRead(page, text);
  const servers = useData(key, read, { every: pollMs, keepsPrevious: true });
  const toggle = (id: string): void => {
    setSelected((ids) => new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
  };
  return (
    <Page title={t('nav.servers')}>
      <div className="toolbar">
        <SearchBox
          label={t('servers.search')}
          value={search}
          onChange={(value) => show(value === '' ? {} : { search: value })}
        />
        <BulkPower
          servers={(servers.data?.data ?? []).filter(({ id }) => selected.has(id))}
          onDone={(left) => setSelected(new Set(left))}
        />
      </div>
      <Loaded query={servers} rows={4}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoServers isSearch={text !== ''} />
          ) : (
            <>
              <ServerGroups servers={data} selected={selected} onToggle={toggle} />
              <Pager
                page={page}
                pages={meta.total_pages}
                total={meta.total}
                onPage={(next) =>
                  show({ ...(search === '' ? {} : { search }), ...(next === 1 ? {} : { page: String(next) }) })
                }
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoServers({ isSearch }: { readonly isSearch: boolean }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  if (isSearch) return <Empty text={t('servers.none-found')} />;
  if (may('servers.create'))
    return (
      <Suspense fallback={<Skeleton />}>
        <FirstSteps />
      </Suspense>
    );
  return (
    <Empty text={t('servers.none')}>
      <Link to="/store" className="button" data-kind="primary">
        {t('servers.to-store')}
      </Link>
    </Empty>
  );
}
