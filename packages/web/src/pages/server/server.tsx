import '../../style/console.css';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { type Key, useI18n } from '../../i18n/i18n.js';
import { serverTexts } from '../../i18n/texts/server/server-texts.js';
import { withTexts } from '../../i18n/with-texts.js';
import { Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { ConsolePage } from './console-page.js';
import { LoadedServer } from '../../server/loaded-server.js';
import { holds } from '../../server/power.js';
import { PowerButtons } from '../../server/power-buttons.js';
import { useEventNotices } from '../../activity/event-notices.js';
import { useServer } from '../../server/server-context.js';
import { ServerNotices } from '../../server/server-notices.js';

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

export const ServerArea = withTexts([serverTexts], Server);

function Server({ id }: { readonly id: string }) {
  return (
    <LoadedServer id={id}>
      <ServerPages />
    </LoadedServer>
  );
}

function ServerPages() {
  const { t } = useI18n();
  const { server, id } = useServer();
  useEventNotices();
  const base = `/servers/${id}`;
  const shown = tabs.filter(({ permission }) => permission === null || holds(server, permission));
  return (
    <Page title={server.name} back={{ to: '/', label: t('nav.servers') }} actions={<PowerButtons />}>
      <Tabs
        label={t('server.pages')}
        tabs={shown.map(({ path, label }) => ({ to: `${base}${path}`, label, isExact: path === '' }))}
      />
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
