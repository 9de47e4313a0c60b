import type { LucideIcon } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { type Key, useI18n } from '../i18n/i18n.js';

export interface Destination {
  readonly to: string;
  readonly label: Key;
  readonly icon: LucideIcon;
  /** The required staff permission. */
  readonly right?: string;
}

export function NavigationLink({ page: { to, label, icon: Icon } }: { readonly page: Destination }) {
  const { t } = useI18n();
  const [path] = useLocation();
  const isExact = to === '/' || to === '/staff';
  const isHere = isExact ? path === to || (to === '/' && path.startsWith('/servers')) : path.startsWith(to);
  return (
    <Link to={to} aria-current={isHere ? 'page' : undefined}>
      <Icon aria-hidden />
      {t(label)}
    </Link>
  );
}
