import { Redirect, Route, Switch } from 'wouter';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { activityTexts } from '../i18n/texts/activity/activity-texts.js';
import { serverTexts } from '../i18n/texts/server/server-texts.js';
import { storeTexts } from '../i18n/texts/store/store-texts.js';
import { startupTexts } from '../i18n/texts/startup/startup-texts.js';
import { staffNavigationTexts } from '../i18n/texts/staff-navigation/staff-navigation-texts.js';
import { staffTexts } from '../i18n/texts/staff/staff-texts.js';
import { StaffActivity } from '../staff/activity.js';
import { StaffBilling } from '../staff/billing/billing.js';
import { DatabaseHosts } from '../staff/database-hosts.js';
import { EggPage } from '../staff/eggs/egg-page.js';
import { EggsPage } from '../staff/eggs/eggs.js';
import { NodePage } from '../staff/node-page.js';
import { NodesPage } from '../staff/nodes.js';
import { Overview } from '../staff/overview.js';
import { Registries } from '../staff/registries/registries.js';
import { RolesPage } from '../staff/roles.js';
import { StaffServers } from '../staff/servers.js';
import { StaffSettings } from '../staff/settings.js';
import { StaffOnly } from '../staff/staff-only.js';
import { UsersPage } from '../staff/users.js';

export function StaffArea() {
  return (
    <StaffOnly>
      <StaffPages />
    </StaffOnly>
  );
}

const StaffPages = withTexts(
  [resourceTexts, activityTexts, serverTexts, startupTexts, storeTexts, staffNavigationTexts, staffTexts],
  StaffRoutes,
);

function StaffRoutes() {
  return (
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
      <Route path="/staff/nodes/:id/*?">{({ id }) => <NodePage key={id} id={id} />}</Route>
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
      <Route path="/staff/registries">
        <Registries />
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
  );
}
