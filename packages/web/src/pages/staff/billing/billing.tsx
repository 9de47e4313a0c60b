import { useI18n } from '../../../i18n/i18n.js';
import { Page } from '../../../parts/page.js';
import { Coupons } from './coupons.js';
import { Invoices } from './invoices.js';
import { Products } from './products.js';
import { Reports } from './reports.js';
import { Services } from './services.js';

export function StaffBilling() {
  const { t } = useI18n();
  return (
    <Page title={t('nav.staff-billing')}>
      <Products />
      <Invoices />
      <Services />
      <Coupons />
      <Reports />
    </Page>
  );
}
