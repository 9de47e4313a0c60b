import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { pageOf, serversRead } from '../api/first-reads.js';
import { useStaffRights } from '../api/queries.js';
import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { useSearchParams } from '../ui/search-params.js';
import { useLoadedLater } from '../ui/use-loaded-later.js';
import { Empty, Loaded } from '../ui/states.js';
import { Pager, SearchBox } from '../ui/pager.js';
import { ServerGroups } from './server-groups.js';

const loadBulkPower = async () => (await import('./bulk-power.js')).BulkPower;
const BulkPower = lazy(async () => ({ default: await loadBulkPower() }));

const pollMs = 15_000;

interface ServerListProps {
  /** Replaces the empty list of staff who may create servers. */
  readonly firstSteps: ReactNode;
}

/** The servers of the user, by page and search text of the address. */
export function ServerList({ firstSteps }: ServerListProps) {
  const { t } = useI18n();
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
  const chosen = (servers.data?.data ?? []).filter(({ id }) => selected.has(id));
  useLoadedLater(loadBulkPower);
  return (
    <>
      <div className="toolbar">
        <SearchBox
          label={t('servers.search')}
          value={search}
          onChange={(value) => show(value === '' ? {} : { search: value })}
        />
        {chosen.length > 0 ? (
          <Suspense fallback={null}>
            <BulkPower servers={chosen} onDone={(left) => setSelected(new Set(left))} />
          </Suspense>
        ) : null}
      </div>
      <Loaded query={servers} rows={4}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoServers isSearch={text !== ''} firstSteps={firstSteps} />
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
    </>
  );
}

function NoServers({ isSearch, firstSteps }: ServerListProps & { readonly isSearch: boolean }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  if (isSearch) return <Empty text={t('servers.none-found')} />;
  if (may('servers.create')) return firstSteps;
  return (
    <Empty text={t('servers.none')}>
      <Link to="/store" className="button" data-kind="primary">
        {t('servers.to-store')}
      </Link>
    </Empty>
  );
}
