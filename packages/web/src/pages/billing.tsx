import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { storeTexts } from '../i18n/texts/store/store-texts.js';
import { CreditsPage } from '../store/credits.js';
import { BillingProfile, Invoices } from '../store/invoices.js';
import { Orders } from '../store/orders.js';
import { Services } from '../store/services.js';
import { TabbedArea, type TabPage } from '../ui/tabs.js';

const pages: readonly [TabPage, ...TabPage[]] = [
  { path: '/billing', label: 'billing.invoices', page: <Invoices /> },
  { path: '/billing/services', label: 'billing.services', page: <Services /> },
  { path: '/billing/orders', label: 'billing.orders', page: <Orders /> },
  { path: '/billing/credits', label: 'billing.credits', page: <CreditsPage /> },
  { path: '/billing/profile', label: 'billing.profile', page: <BillingProfile /> },
];

export const BillingArea = withTexts([resourceTexts, storeTexts], BillingPages);

function BillingPages() {
  const { t } = useI18n();
  return <TabbedArea title={t('nav.billing')} pages={pages} />;
}
