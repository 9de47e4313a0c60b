import {
  Activity,
  Boxes,
  Container,
  CreditCard,
  Database,
  Gauge,
  HardDrive,
  Server,
  Settings,
  ShieldCheck,
  Users,
} from 'lucide-react';
import { useStaffRights } from '../api/queries.js';
import { useI18n } from '../i18n/i18n.js';
import { staffNavigationTexts } from '../i18n/texts/staff-navigation/staff-navigation-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { type Destination, NavigationLink } from './navigation-link.js';

export const staffPages: readonly Destination[] = [
  { to: '/staff', label: 'nav.overview', icon: Gauge, right: 'servers.view' },
  { to: '/staff/servers', label: 'nav.all-servers', icon: Server, right: 'servers.view' },
  { to: '/staff/nodes', label: 'nav.nodes', icon: HardDrive, right: 'nodes.view' },
  { to: '/staff/users', label: 'nav.users', icon: Users, right: 'users.view' },
  { to: '/staff/eggs', label: 'nav.eggs', icon: Boxes, right: 'nests.view' },
  { to: '/staff/database-hosts', label: 'nav.database-hosts', icon: Database, right: 'nodes.view' },
  { to: '/staff/registries', label: 'nav.registries', icon: Container, right: 'nodes.view' },
  { to: '/staff/billing', label: 'nav.staff-billing', icon: CreditCard, right: 'billing.view' },
  { to: '/staff/roles', label: 'nav.roles', icon: ShieldCheck, right: 'roles.view' },
  { to: '/staff/settings', label: 'nav.settings', icon: Settings, right: 'settings.view' },
  { to: '/staff/activity', label: 'nav.activity', icon: Activity, right: 'settings.view' },
];

/** The pages that the rights of the user open. */
export const StaffNavigation = withTexts([staffNavigationTexts], StaffLinks);

function StaffLinks() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const pages = staffPages.filter(({ right }) => right === undefined || may(right));
  return pages.length === 0 ? null : (
    <>
      <h2>{t('nav.staff')}</h2>
      {pages.map((page) => (
        <NavigationLink key={page.to} page={page} />
      ))}
    </>
  );
}
