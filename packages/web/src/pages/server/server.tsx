import '../../style/console.css';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import type { Server } from '@panel/client';
import { Link, Redirect, Route, Switch } from 'wouter';
import { type Key, useI18n } from '../../i18n/i18n.js';
import { serverRead } from '../../api/first-reads.js';
import { useChange, useData } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { ConfirmLater } from '../../ui/confirm-later.js';
import { Page } from '../../ui/page.js';
import { Loaded, Note, Skeleton } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { Tabs } from '../../ui/tabs.js';
import { useToasts } from '../../ui/toasts.js';
import { ConsolePage } from './console-page.js';
import { useConsoleSession } from '../../server/console-session/use-console-session.js';
import { holds, type PowerAction, powerDenial } from '../../server/power.js';
import { useEventNotices } from '../../activity/event-notices.js';
import { ServerProvider, serverPollMs, useLiveStatus, useServer, type ViewedAs } from '../../server/server-context.js';

const BackupsPage = lazy(async () => ({ default: (await import('../../backups/backups.js')).BackupsPage }));
const DatabasesPage = lazy(async () => ({ default: (await import('../../databases/databases.js')).DatabasesPage }));
const FilesPage = lazy(async () => ({ default: (await import('../../files/files-page.js')).FilesPage }));
const PeoplePage = lazy(async () => ({ default: (await import('../../people/people.js')).PeoplePage }));
const SchedulesPage = lazy(async () => ({ default: (await import('../../schedules/schedules.js')).SchedulesPage }));
const ActivityPage = lazy(async () => ({ default: (await import('./tabs.js')).ActivityPage }));
const InstallLogPage = lazy(async () => ({ default: (await import('./tabs.js')).InstallLogPage }));
const NetworkPage = lazy(async () => ({ default: (await import('./tabs.js')).NetworkPage }));
const SettingsPage = lazy(async () => ({ default: (await import('./tabs.js')).SettingsPage }));
const StartupPage = lazy(async () => ({ default: (await import('./tabs.js')).StartupPage }));

interface Tab {
  readonly path: string;
  readonly label: Key;
  readonly permission: string | null;
}

const tabs: readonly Tab[] = [
  { path: '', label: 'server.console', permission: 'websocket.connect' },
  { path: '/files', label: 'server.files', permission: 'file.read' },
  { path: '/backups', label: 'server.backups', permission: 'backup.read' },
  { path: '/databases', label: 'server.databases', permission: 'database.read' },
  { path: '/schedules', label: 'server.schedules', permission: 'schedule.read' },
  { path: '/people', label: 'server.people', permission: 'user.read' },
  { path: '/network', label: 'server.network', permission: 'allocation.read' },
  { path: '/startup', label: 'server.startup', permission: 'startup.read' },
  { path: '/settings', label: 'server.settings', permission: null },
  { path: '/activity', label: 'server.activity', permission: 'activity.read' },
  { path: '/install-log', label: 'server.install-log', permission: 'settings.reinstall' },
];

/** Its console stays connected across its pages. */
export function ServerArea({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const session = useConsoleSession(id, {
    onPowerChange: () => void queries.invalidateQueries({ queryKey: ['server', id], exact: true }),
  });
  const { key, read } = serverRead(id);
  const server = useData(key, read, { every: serverPollMs });
  const [viewed, viewAs] = useState<ViewedAs | null>(null);
  const { t } = useI18n();
  if (!session || server.data === undefined) {
    return (
      <Page title={t('palette.server')} back={{ to: '/', label: t('nav.servers') }}>
        <Loaded query={server}>{() => <Skeleton />}</Loaded>
      </Page>
    );
  }
  return (
    <ServerProvider server={shownServer(server.data, viewed)} session={session} viewAs={viewAs}>
      <ServerPages viewed={viewed} />
    </ServerProvider>
  );
}

function shownServer(server: Server, viewed: ViewedAs | null): Server {
  return viewed ? { ...server, is_owner: false, permissions: [...viewed.permissions] } : server;
}

function ServerPages({ viewed }: { readonly viewed: ViewedAs | null }) {
  const { t } = useI18n();
  const { server, id, viewAs } = useServer();
  useEventNotices();
  const base = `/servers/${id}`;
  const shown = tabs.filter(({ permission }) => permission === null || holds(server, permission));
  return (
    <Page title={server.name} back={{ to: '/', label: t('nav.servers') }} actions={<PowerButtons />}>
      <Tabs
        label={t('server.pages')}
        tabs={shown.map(({ path, label }) => ({ to: `${base}${path}`, label, isExact: path === '' }))}
      />
      {viewed ? (
        <Note kind="warning">
          <p role="status">{t('view-as.note', { name: viewed.name })}</p>
          <Button onClick={() => viewAs(null)}>{t('view-as.stop')}</Button>
        </Note>
      ) : null}
      <ServerNotices />
      <Suspense fallback={<Skeleton rows={6} />}>
        <Switch>
          <Route path={base}>
            <ConsolePage />
          </Route>
          <Route path={`${base}/files`}>
            <FilesPage />
          </Route>
          <Route path={`${base}/backups`}>
            <BackupsPage />
          </Route>
          <Route path={`${base}/databases`}>
            <DatabasesPage />
          </Route>
          <Route path={`${base}/schedules/*?`}>
            <SchedulesPage />
          </Route>
          <Route path={`${base}/people`}>
            <PeoplePage />
          </Route>
          <Route path={`${base}/network`}>
            <NetworkPage />
          </Route>
          <Route path={`${base}/startup`}>
            <StartupPage />
          </Route>
          <Route path={`${base}/settings`}>
            <SettingsPage />
          </Route>
          <Route path={`${base}/activity`}>
            <ActivityPage />
          </Route>
          <Route path={`${base}/install-log`}>
            <InstallLogPage />
          </Route>
          <Route>
            <Redirect to={base} replace />
          </Route>
        </Switch>
      </Suspense>
    </Page>
  );
}

function PowerButtons() {
  const i18n = useI18n();
  const { t } = i18n;
  const { server, id } = useServer();
  const toasts = useToasts();
  const status = useLiveStatus();
  const [isKilling, setIsKilling] = useState(false);
  const power = useChange(
    async (client, action: PowerAction) => client.post('/servers/{id}/power', { params: { id }, body: { action } }),
    [['server', id]],
  );
  const live = { ...server, status: status as typeof server.status };
  const isStopping = status === 'stopping';
  return (
    <>
      <Status value={status} />
      {(['start', 'restart', 'stop'] as const).map((action) => (
        <Button
          key={action}
          kind={action === 'start' ? 'primary' : 'plain'}
          isBusy={power.isPending && power.variables === action}
          why={powerDenial(live, action, i18n)}
          onClick={() => power.mutate(action, { onError: toasts.showError })}
        >
          {t(`power.${action}`)}
        </Button>
      ))}
      {isStopping ? (
        <Button kind="danger" why={powerDenial(live, 'kill', i18n)} onClick={() => setIsKilling(true)}>
          {t('power.kill')}
        </Button>
      ) : null}
      {isKilling ? (
        <ConfirmLater
          title={t('power.kill')}
          text={t('power.kill-text')}
          action={t('power.kill')}
          onConfirm={async () => power.mutateAsync('kill')}
          onClose={() => setIsKilling(false)}
        />
      ) : null}
    </>
  );
}

function ServerNotices() {
  const i18n = useI18n();
  const { t, maybe } = i18n;
  const { server, session } = useServer();
  const { operation } = useSyncExternalStore(session.subscribe, () => session.snapshot);
  const current = operation ?? server.operation;
  const kind = current ? maybe(`operation.${current.kind}`, current.kind) : '';
  return (
    <>
      {server.suspended ? <Note kind="warning">{t('server.suspended')}</Note> : null}
      {server.status === 'install_failed' ? (
        <Note kind="warning">
          <p>{t('server.install-failed')}</p>
          <p className="prose">{server.install_error}</p>
          <p className="row">
            <Link to={`/servers/${server.id}/install-log`}>{t('server.install-log')}</Link>
            <Link to={`/servers/${server.id}/settings`}>{t('settings.reinstall')}</Link>
          </p>
        </Note>
      ) : null}
      {current ? (
        <Note>
          <p role="status">
            {kind}: {current.step ?? ''} {current.progress ?? 0} %
          </p>
          <progress aria-label={kind} max={100} value={current.progress ?? 0} />
        </Note>
      ) : null}
    </>
  );
}
