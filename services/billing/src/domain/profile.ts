/** Who is on the invoices of a customer, as they say it. */
export interface BillingProfile {
  readonly userId: string;
  readonly name: string;
  readonly company: string;
  readonly address: string;
  /** ISO 3166-1 alpha-2, or empty. */
  readonly country: string;
  readonly vatNumber: string;
}

/** The customer as an invoice keeps it. */
export interface InvoiceCustomer {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly address: string;
  readonly country: string;
  readonly vatNumber: string;
}

/** The seller as an invoice keeps it. */
export interface InvoiceSeller {
  readonly name: string;
  readonly address: string;
  readonly vatNumber: string;
}

/** A customer as identity knows them. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}
