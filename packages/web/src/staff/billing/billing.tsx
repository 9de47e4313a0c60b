import { useI18n } from '../../i18n/i18n.js';
import { TabbedArea, type TabPage } from '../../ui/tabs.js';
import { Accounting } from './accounting.js';
import { Coupons } from './coupons.js';
import { GiftCodes } from './gift-codes.js';
import { Invoices } from './invoices.js';
import { Products } from './products.js';
import { Reports } from './reports.js';
import { Services } from './services.js';

const pages: readonly [TabPage, ...TabPage[]] = [
  { path: '/staff/billing', label: 'staff.products', page: <Products /> },
  { path: '/staff/billing/invoices', label: 'billing.invoices', page: <Invoices /> },
  { path: '/staff/billing/services', label: 'billing.services', page: <Services /> },
  { path: '/staff/billing/coupons', label: 'staff.coupons', page: <Coupons /> },
  { path: '/staff/billing/gift-codes', label: 'staff.gift-codes', page: <GiftCodes /> },
  { path: '/staff/billing/accounting', label: 'accounting.title', page: <Accounting /> },
  { path: '/staff/billing/reports', label: 'billing.reports', page: <Reports /> },
];

export function StaffBilling() {
  const { t } = useI18n();
  return <TabbedArea title={t('nav.staff-billing')} pages={pages} />;
}
