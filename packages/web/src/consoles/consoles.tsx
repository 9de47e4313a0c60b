import '../style/console.css';
import type { ListedServer } from '@panel/client';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/context.js';
import { serverRead } from '../api/first-reads.js';
import { type Listed, useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { holds } from '../server/power.js';
import { Page } from '../ui/page.js';
import { useSearchParams } from '../ui/search-params.js';
import { Empty, Loaded } from '../ui/states.js';
import { CommandMany } from './command-many.js';
import { Pane } from './pane.js';

const maxPanes = 6;

type ShownServer = Pick<ListedServer, 'id' | 'name' | 'status'>;

export function Consoles() {
  const { t } = useI18n();
  const [parameters, setParameters] = useSearchParams();
  const chosen = parameters.get('servers')?.split(',') ?? [];
  const api = useApi();
  const servers = useData<Listed<ListedServer>>(['servers', 'consoles'], async (client) =>
    client.get('/servers', { query: { per_page: 100 } }),
  );
  // Selected servers may be on a later page.
  const missing = servers.data ? chosen.filter((id) => servers.data.data.every((server) => server.id !== id)) : [];
  const others = useQueries({
    queries: missing.slice(0, maxPanes).map((id) => {
      const { key, read } = serverRead(id);
      return { queryKey: key, queryFn: async () => api.call(read), retry: false };
    }),
  }).flatMap(({ data }) => data ?? []);
  const show = (ids: readonly string[]): void => setParameters({ servers: ids.join(',') }, { replace: true });
  return (
    <Page title={t('consoles.title')} back={{ to: '/', label: t('nav.servers') }}>
      <Loaded query={servers}>
        {({ data }) => {
          const watchable = [...data, ...others].filter((server) => holds(server, 'websocket.connect'));
          if (watchable.length === 0) return <Empty text={t('servers.none')} />;
          const shown = watchable.filter(({ id }) => chosen.includes(id)).slice(0, maxPanes);
          return (
            <>
              <Choice servers={watchable} shown={shown.map(({ id }) => id)} onShow={show} />
              {shown.length === 0 ? <Empty text={t('consoles.choose')} /> : <Panes servers={shown} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface ChoiceProps {
  readonly servers: readonly Pick<ListedServer, 'id' | 'name'>[];
  readonly shown: readonly string[];
  readonly onShow: (ids: readonly string[]) => void;
}

function Choice({ servers, shown, onShow }: ChoiceProps) {
  const { t } = useI18n();
  const isFull = shown.length >= maxPanes;
  return (
    <details className="card" open={shown.length === 0}>
      <summary>{t('consoles.servers', { count: shown.length, max: maxPanes })}</summary>
      <ul className="choices">
        {servers.map(({ id, name }) => (
          <li key={id}>
            <label className="row">
              <input
                type="checkbox"
                checked={shown.includes(id)}
                disabled={isFull && !shown.includes(id)}
                onChange={() => onShow(shown.includes(id) ? shown.filter((other) => other !== id) : [...shown, id])}
              />
              <bdi>{name}</bdi>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Panes({ servers }: { readonly servers: readonly ShownServer[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setLeft((ids) => new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
  return (
    <>
      <div className="consoles">
        {servers.map((server) => (
          <Pane key={server.id} server={server} isTarget={!left.has(server.id)} onTarget={() => toggle(server.id)} />
        ))}
      </div>
      <CommandMany targets={servers.filter(({ id }) => !left.has(id))} />
    </>
  );
}
