import '../../style/console.css';
import { useState } from 'react';
import type { ListedServer } from '@panel/client';
import { useLocation, useSearch } from 'wouter';
import { useI18n } from '../../i18n/i18n.js';
import { ToolsTexts } from '../../i18n/tools-texts.js';
import { type Listed, useData } from '../../net/use-data.js';
import { Page } from '../../parts/page.js';
import { Empty, Loaded } from '../../parts/states.js';
import { holds } from '../server/power.js';
import { CommandMany } from './command-many.js';
import { Pane } from './pane.js';

const maxPanes = 6;

/** Up to six consoles side by side, and one prompt for those that are chosen. */
export function WallPage() {
  return (
    <ToolsTexts>
      <Wall />
    </ToolsTexts>
  );
}

function Wall() {
  const { t } = useI18n();
  const [, navigate] = useLocation();
  const chosen = new URLSearchParams(useSearch()).get('servers')?.split(',') ?? [];
  const servers = useData<Listed<ListedServer>>(['servers', 'wall'], async (client) =>
    client.get('/servers', { query: { per_page: 100 } }),
  );
  const show = (ids: readonly string[]): void => navigate(`/wall?servers=${ids.join(',')}`, { replace: true });
  return (
    <Page title={t('wall.title')} back={{ to: '/', label: t('nav.servers') }}>
      <Loaded query={servers}>
        {({ data }) => {
          const watchable = data.filter((server) => holds(server, 'websocket.connect'));
          if (watchable.length === 0) return <Empty text={t('servers.none')} />;
          const shown = watchable.filter(({ id }) => chosen.includes(id)).slice(0, maxPanes);
          return (
            <>
              <Choice servers={watchable} shown={shown.map(({ id }) => id)} onShow={show} />
              {shown.length === 0 ? <Empty text={t('wall.choose')} /> : <Panes servers={shown} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface ChoiceProps {
  readonly servers: readonly ListedServer[];
  readonly shown: readonly string[];
  readonly onShow: (ids: readonly string[]) => void;
}

function Choice({ servers, shown, onShow }: ChoiceProps) {
  const { t } = useI18n();
  const isFull = shown.length >= maxPanes;
  return (
    <details className="card" open={shown.length === 0}>
      <summary>{t('wall.servers', { count: shown.length, max: maxPanes })}</summary>
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
              {name}
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Panes({ servers }: { readonly servers: readonly ListedServer[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setLeft((ids) => new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
  return (
    <>
      <div className="wall">
        {servers.map((server) => (
          <Pane key={server.id} server={server} isTarget={!left.has(server.id)} onTarget={() => toggle(server.id)} />
        ))}
      </div>
      <CommandMany targets={servers.filter(({ id }) => !left.has(id))} />
    </>
  );
}
