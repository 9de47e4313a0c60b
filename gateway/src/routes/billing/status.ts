import { Invoice_Status, Order_Status, Service_Status } from '@panel/protos/billing';

/** The enum value of a word of the API; UNSPECIFIED for none. */
function statusOf<S extends string>(values: Readonly<Record<string, S>>, word: string | undefined, none: S): S {
  return Object.values(values).find((value) => value === `STATUS_${word?.toUpperCase() ?? ''}`) ?? none;
}

export const readInvoiceStatus = (word: string | undefined): Invoice_Status =>
  statusOf(Invoice_Status, word, Invoice_Status.UNSPECIFIED);
export const readOrderStatus = (word: string | undefined): Order_Status =>
  statusOf(Order_Status, word, Order_Status.UNSPECIFIED);
export const readServiceStatus = (word: string | undefined): Service_Status =>
  statusOf(Service_Status, word, Service_Status.UNSPECIFIED);
