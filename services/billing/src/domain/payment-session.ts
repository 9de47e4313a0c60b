/** A payment page at a gateway that a customer was sent to. */
export interface PaymentSession {
  readonly gateway: string;
  /** The gateway's name of it. */
  readonly reference: string;
  readonly invoiceId: string;
  readonly createdAt: Date;
  /** How often the gateway was asked how it stands. */
  readonly checks: number;
}
