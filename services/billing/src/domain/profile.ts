export interface BillingProfile {
  readonly userId: string;
  readonly name: string;
  readonly company: string;
  readonly address: string;
  /** ISO 3166-1 alpha-2, or empty. */
  readonly country: string;
  readonly vatNumber: string;
}

/** Snapshot on an invoice. */
export interface InvoiceCustomer {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly address: string;
  readonly country: string;
  readonly vatNumber: string;
}

/** Snapshot on an invoice. */
export interface InvoiceSeller {
  readonly name: string;
  readonly address: string;
  readonly vatNumber: string;
}

/** From identity. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}
