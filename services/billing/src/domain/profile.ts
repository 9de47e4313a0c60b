import { type RecordOf, text } from '@panel/kit/records';

export const profileFields = {
  name: text,
  company: text,
  address: text,
  /** ISO 3166-1 alpha-2, or empty. */
  country: text,
  vatNumber: text,
};
export interface BillingProfile extends RecordOf<typeof profileFields> {
  readonly userId: string;
}

/** Snapshot on an invoice. */
export const customerFields = {
  ...profileFields,
  email: text,
};
export type InvoiceCustomer = RecordOf<typeof customerFields>;

/** Snapshot on an invoice. */
export const sellerFields = {
  name: text,
  address: text,
  vatNumber: text,
};
export type InvoiceSeller = RecordOf<typeof sellerFields>;

/** From identity. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** BCP 47 tag. */
  readonly language: string;
}
