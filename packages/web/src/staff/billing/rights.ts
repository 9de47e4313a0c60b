import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';

export const staleBilling = [['staff', 'billing']];

/** Why a shop action is denied; false when allowed. */
export function useBillingDenial() {
  const { t } = useI18n();
  const { may } = useStaffRights();
  return (right: string) => !may(right) && t('staff.why', { right });
}
