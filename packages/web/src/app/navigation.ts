import { type LucideIcon, Server, User } from 'lucide-react';
import type { Key } from '../i18n/i18n.js';

export interface Destination {
  readonly to: string;
  readonly label: Key;
  readonly icon: LucideIcon;
  /** What a staff member needs to see it. */
  readonly right?: string;
}

export const customerPages: readonly Destination[] = [
  { to: '/', label: 'nav.servers', icon: Server },
  { to: '/account', label: 'nav.account', icon: User },
];

export const staffPages: readonly Destination[] = [];
