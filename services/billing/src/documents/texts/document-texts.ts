/** The compiler requires every text in each language. */
export interface DocumentTexts {
  /** Titles, before the number. */
  readonly invoice: string;
  readonly creditNote: string;
  /** Of a void invoice. */
  readonly cancellation: string;
  /** Instead of a number. */
  readonly draft: string;
  readonly date: string;
  readonly due: string;
  readonly status: string;
  readonly statuses: Readonly<Record<'draft' | 'unpaid' | 'overdue' | 'paid' | 'void' | 'refunded', string>>;
  readonly correctsInvoice: string;
  readonly from: string;
  readonly to: string;
  readonly vatNumber: (number: string) => string;
  /** Of a seller without a VAT number. */
  readonly taxNumber: (number: string) => string;
  readonly description: string;
  readonly quantity: string;
  readonly unitPrice: string;
  readonly discount: string;
  readonly tax: string;
  readonly includedTax: string;
  readonly total: string;
  readonly subtotal: string;
  readonly taxRate: string;
  readonly net: string;
  readonly gross: string;
  readonly setupFee: string;
  readonly withSetupFee: (description: string, fee: string) => string;
  readonly periodFromPayment: (length: string) => string;
  readonly periodOfDays: (first: string, last: string) => string;
  readonly reverseCharge: string;
  readonly outsideScope: string;
  /** Of electronic invoices. */
  readonly notTaxed: string;
  readonly exempt: (reason: string) => string;
  readonly payments: string;
  /** Of a payment; gateways have names of their own. */
  readonly methods: Readonly<Record<'credits' | 'manual' | 'stripe' | 'paypal' | 'mollie', string>>;
  readonly payment: string;
  readonly pleaseTransfer: (amount: string, day: string) => string;
  readonly accountHolder: (holder: string) => string;
  readonly iban: (iban: string) => string;
  readonly bic: (bic: string) => string;
  readonly reference: (reference: string) => string;
  /** Of the QR code, for those who cannot see it. */
  readonly bankingCode: string;
  readonly page: (page: number, count: number) => string;
}
