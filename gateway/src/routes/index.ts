import { accountRoutes } from './account/router.js';
import { activityRoutes } from './activity/router.js';
import { adminBackupRoutes } from './admin-backups/router.js';
import { adminBillingRoutes } from './admin-billing/router.js';
import { giftCodeRoutes } from './admin-billing/gift-codes.js';
import { reportRoutes } from './admin-billing/reports.js';
import { adminDatabaseHostRoutes } from './admin-database-hosts/router.js';
import { adminEggRoutes } from './admin-eggs/router.js';
import { adminNodeRoutes } from './admin-nodes/router.js';
import { adminOverviewRoutes } from './admin-overview/router.js';
import { adminRegistryRoutes } from './admin-registries/router.js';
import { adminRoleRoutes } from './admin-roles/router.js';
import { adminServerRoutes } from './admin-servers/router.js';
import { adminSettingsRoutes } from './admin-settings/router.js';
import { adminTestClockRoutes } from './admin-test-clock/router.js';
import { adminUserRoutes } from './admin-users/router.js';
import { authRoutes } from './auth/router.js';
import { backupRoutes } from './backups/router.js';
import { browserRoutes } from './browser/router.js';
import { billingRoutes } from './billing/router.js';
import { webhookRoutes } from './billing/webhooks.js';
import { databaseRoutes } from './databases/router.js';
import { databaseDumpRoutes } from './databases/dumps.js';
import { documentationRoutes, viewerRoutes } from './documentation/router.js';
import { fileRoutes } from './files/router.js';
import { pageRoutes } from './password-pages/router.js';
import { route, type Route } from '../declaration/route.js';
import { scheduleRoutes } from './schedules/router.js';
import { serverRoutes } from './servers/router.js';
import { brandRoutes } from './brand/router.js';
import { consoleRoutes } from './servers/console-router.js';
import { metricsRoutes } from './servers/metrics-router.js';
import { serverActivityRoutes } from './servers/activity-router.js';
import { allocationRoutes } from './servers/allocation-router.js';
import { startupRoutes } from './servers/startup-router.js';
import { storeRoutes } from './store/router.js';
import { subuserRoutes } from './subusers/router.js';
import { consoleEndpoint } from './servers/console-socket.js';

/** Without the console socket (ws/route.ts), which needs the connection. */
const described: readonly Route[] = [
  ...authRoutes, //          /auth
  ...brandRoutes, //         /brand
  ...browserRoutes, //       /browser
  ...serverRoutes, //        /servers
  ...startupRoutes, //       /servers/{id}/startup, reinstall, install-log
  ...allocationRoutes, //    /servers/{id}/allocations
  ...consoleRoutes, //       /servers/{id}/console
  ...metricsRoutes, //       /servers/{id}/metrics
  ...serverActivityRoutes, // /servers/{id}/activity
  ...fileRoutes, //          /servers/{id}/files
  ...databaseRoutes, //      /servers/{id}/databases
  ...databaseDumpRoutes, //  /servers/{id}/databases/{db-id}/export, import
  ...backupRoutes, //        /servers/{id}/backups
  ...scheduleRoutes, //      /servers/{id}/schedules
  ...subuserRoutes, //       /servers/{id}/subusers
  ...accountRoutes, //       /account
  ...storeRoutes, //         /store
  ...billingRoutes, //       /billing
  ...adminServerRoutes, //   /admin/servers
  ...adminBackupRoutes, //   /admin/backups
  ...adminUserRoutes, //     /admin/users
  ...adminNodeRoutes, //     /admin/nodes
  ...adminDatabaseHostRoutes, // /admin/database-hosts
  ...adminRegistryRoutes, // /admin/registries
  ...adminEggRoutes, //      /admin/nests, /admin/eggs
  ...adminBillingRoutes, //  /admin/billing
  ...giftCodeRoutes, //      /admin/billing/gift-codes
  ...reportRoutes, //        /admin/billing/reports
  ...adminRoleRoutes, //     /admin/roles
  ...adminSettingsRoutes, // /admin/settings
  ...adminTestClockRoutes, // /admin/test-clock
  ...activityRoutes, //      /admin/activity
  ...adminOverviewRoutes, // /admin/overview
];

/** For the documentation; ws/route.ts creates the real one. */
const consoleRoute = route({ ...consoleEndpoint, handler: async () => undefined });

const documentation = documentationRoutes([...described, consoleRoute]);

/** API, documentation, pages of mailed links, webhooks. */
export const routes: readonly Route[] = [
  ...described,
  ...documentation,
  ...viewerRoutes,
  ...pageRoutes,
  ...webhookRoutes,
];

/** With the console socket and the documentation itself. */
export const documentedRoutes: readonly Route[] = [...described, consoleRoute, ...documentation];
