import { amount, date, id, oneOf, optional, orNull, part, type RecordOf, text } from '@panel/kit/records';

const profileFields = {
  name: text,
  company: text,
  address: text,
  /** ISO 3166-1 alpha-2, or empty. */
  country: text,
  vatNumber: text,
  /** Leitweg-ID or another reference that the customer wants on electronic invoices; absent or empty: none. */
  buyerReference: optional(text),
};

export type ProfileFields = RecordOf<typeof profileFields>;

/** What VIES says of a number. */
const vatCheckFields = {
  number: id,
  /** `unanswered`: not asked yet, or unavailable. */
  state: oneOf(['unanswered', 'valid', 'invalid']),
  /** Empty without the seller's number in the question. */
  consultation: text,
  answeredAt: orNull(date),
  /** Failed questions since the last answer. */
  attempts: amount,
  nextAt: date,
};
export type VatCheck = RecordOf<typeof vatCheckFields>;

export const profileRecordFields = {
  ...profileFields,
  vatCheck: optional(part(vatCheckFields)),
  /** Why staff have exempted the customer from tax; absent or empty: not. */
  taxExemption: optional(text),
};
export interface BillingProfile extends RecordOf<typeof profileRecordFields> {
  readonly userId: string;
}

/** What decides about tax. */
export type TaxedCustomer = Pick<BillingProfile, 'country' | 'vatNumber' | 'vatCheck' | 'taxExemption'>;

/** Snapshot on an invoice. */
export const customerFields = {
  ...profileFields,
  email: text,
};

/** Snapshot on an invoice. */
export const sellerFields = {
  name: text,
  address: text,
  vatNumber: text,
  /** Of further registrations, separated by commas. */
  otherVatNumbers: optional(text),
  /** For electronic invoices, as the rest; absent on older ones. */
  postcode: optional(text),
  city: optional(text),
  /** ISO 3166-1 alpha-2. */
  country: optional(text),
  taxNumber: optional(text),
  /** Name of a person or department. */
  contact: optional(text),
  phone: optional(text),
  email: optional(text),
};
export type InvoiceSeller = RecordOf<typeof sellerFields>;

/** With the address of the account. */
export interface CustomerProfile extends BillingProfile {
  readonly email: string;
}

/** From identity. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** BCP 47 tag. */
  readonly language: string;
}
