import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';

/** What is read again when something of the shop has changed. */
export const staleBilling = [['staff', 'billing']];

/** Why a user may not do something in the shop; false when they may. */
export function useBillingDenial() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  return (right: string) => !may(right) && t('staff.why', { right });
}
