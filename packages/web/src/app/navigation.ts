import {
  Activity,
  Boxes,
  Container,
  CreditCard,
  Database,
  Gauge,
  HardDrive,
  type LucideIcon,
  Receipt,
  Server,
  Settings,
  ShieldCheck,
  ShoppingBag,
  User,
  Users,
} from 'lucide-react';
import type { Key } from '../i18n/i18n.js';

export interface Destination {
  readonly to: string;
  readonly label: Key;
  readonly icon: LucideIcon;
  /** The required staff permission. */
  readonly right?: string;
}

export const customerPages: readonly Destination[] = [
  { to: '/', label: 'nav.servers', icon: Server },
  { to: '/store', label: 'nav.store', icon: ShoppingBag },
  { to: '/billing', label: 'nav.billing', icon: Receipt },
  { to: '/account', label: 'nav.account', icon: User },
];

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
