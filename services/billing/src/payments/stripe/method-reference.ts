/** A method can be charged only with the customer it belongs to, so one reference names both. */
export interface StripeMethod {
  readonly customer: string;
  readonly method: string;
}

export function methodReferenceOf({ customer, method }: StripeMethod): string {
  return `${customer}/${method}`;
}

/** Null: not a reference of ours. */
export function parseMethodReference(reference: string): StripeMethod | null {
  const match = /^(cus_\w+)\/(\w+)$/.exec(reference);
  return match?.[1] && match[2] ? { customer: match[1], method: match[2] } : null;
}
