export interface PaymentSession {
  readonly gateway: string;
  /** Id at the gateway. */
  readonly reference: string;
  readonly invoiceId: string;
  readonly createdAt: Date;
  /** Status queries so far. */
  readonly checks: number;
}
