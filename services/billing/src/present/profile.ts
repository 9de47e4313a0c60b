import { enumOf } from '@panel/kit/records';
import { type GetProfileResponse, TaxStatus_VatState } from '@panel/protos/billing';
import type { CustomerProfile } from '../domain/profile.js';

export function presentProfile({
  userId: _user,
  vatCheck,
  taxExemption,
  ...customer
}: CustomerProfile): GetProfileResponse {
  const { vatNumber } = customer;
  const check = vatCheck?.number === vatNumber ? vatCheck : undefined;
  const state = check === undefined || check.state === 'unanswered' ? 'unchecked' : check.state;
  return {
    customer: { ...customer, buyerReference: customer.buyerReference ?? '' },
    tax: {
      vatState: enumOf(TaxStatus_VatState, vatNumber === '' ? 'none' : state),
      vatConsultation: check?.consultation ?? '',
      vatCheckTime: check?.answeredAt ?? undefined,
      taxExemption: taxExemption ?? '',
    },
  };
}
