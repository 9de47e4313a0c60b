import { Receipt, Server, ShoppingBag, User } from 'lucide-react';
import type { Destination } from './navigation-link.js';

export const customerPages: readonly Destination[] = [
  { to: '/', label: 'nav.servers', icon: Server },
  { to: '/store', label: 'nav.store', icon: ShoppingBag },
  { to: '/billing', label: 'nav.billing', icon: Receipt },
  { to: '/account', label: 'nav.account', icon: User },
];
