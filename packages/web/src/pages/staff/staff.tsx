import { Redirect, Route, Switch } from 'wouter';
import { useI18n } from '../../i18n/i18n.js';
import { MoreTexts } from '../../i18n/more-texts.js';
import { useStaffRights } from '../../net/queries.js';
import { Page } from '../../parts/page.js';
import { Loaded, Skeleton } from '../../parts/states.js';
import { NotFoundPage } from '../not-found.js';
import { StaffActivity } from './activity.js';
import { StaffBilling } from './billing/billing.js';
import { DatabaseHosts } from './database-hosts.js';
import { EggPage } from './eggs/egg-page.js';
import { EggsPage } from './eggs/eggs.js';
import { NodePage } from './node-page.js';
import { NodesPage } from './nodes.js';
import { Overview } from './overview.js';
import { RolesPage } from './roles.js';
import { StaffServers } from './servers.js';
import { StaffSettings } from './settings.js';
import { UsersPage } from './users.js';

export function StaffArea() {
  const { t } = useI18n();
  const { isStaff, query } = useStaffRights();
  if (query) {
    return (
      <Page title={t('nav.staff')}>
        <Loaded query={query} rows={6}>
          {() => <Skeleton />}
        </Loaded>
      </Page>
    );
  }
  if (!isStaff) return <NotFoundPage />;
  return (
    <MoreTexts>
      <Switch>
        <Route path="/staff">
          <Overview />
        </Route>
        <Route path="/staff/servers">
          <StaffServers />
        </Route>
        <Route path="/staff/nodes">
          <NodesPage />
        </Route>
        <Route path="/staff/nodes/:id">{({ id }) => <NodePage key={id} id={id} />}</Route>
        <Route path="/staff/users">
          <UsersPage />
        </Route>
        <Route path="/staff/eggs">
          <EggsPage />
        </Route>
        <Route path="/staff/eggs/:id">{({ id }) => <EggPage key={id} id={id} />}</Route>
        <Route path="/staff/database-hosts">
          <DatabaseHosts />
        </Route>
        <Route path="/staff/billing/*?">
          <StaffBilling />
        </Route>
        <Route path="/staff/roles">
          <RolesPage />
        </Route>
        <Route path="/staff/settings">
          <StaffSettings />
        </Route>
        <Route path="/staff/activity">
          <StaffActivity />
        </Route>
        <Route>
          <Redirect to="/staff" replace />
        </Route>
      </Switch>
    </MoreTexts>
  );
}
