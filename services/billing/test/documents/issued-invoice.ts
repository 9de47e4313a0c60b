import type { BankAccount } from '../../src/domain/bank-account.js';
import type { InvoiceItem, InvoiceRecord } from '../../src/domain/invoice.js';
import { prepareInvoice } from '../../src/domain/prepare-invoice.js';
import type { BillingProfile, InvoiceSeller } from '../../src/domain/profile.js';
import { type AppliedTax, type TaxTreatment, withTax } from '../../src/domain/tax.js';
import { testSettings } from '../fakes.js';

export const at = new Date('2026-03-01T12:00:00Z');

export const seller: InvoiceSeller = {
  name: 'Panel & Söhne GmbH',
  address: 'Main Street 1',
  postcode: '10115',
  city: 'Berlin',
  country: 'DE',
  vatNumber: 'DE136695976',
  contact: 'Accounting',
  phone: '+49 30 123456',
  email: 'billing@example.com',
};

export const account: BankAccount = {
  holder: 'Panel GmbH',
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  instructions: '',
};

export const leitwegId = '04011000-12345-34';

export interface SoldLine {
  readonly unit: number;
  readonly quantity?: number;
  readonly setupFee?: number;
  readonly discount?: number;
  readonly days?: number;
}

export interface Sale {
  readonly lines: readonly SoldLine[];
  readonly rate?: number;
  readonly inclusive?: boolean;
  readonly treatment?: TaxTreatment;
  readonly currency?: string;
  readonly profile?: Partial<BillingProfile>;
  readonly seller?: InvoiceSeller;
  readonly language?: string;
}

/** Taxed line by line, as orders and renewals are. */
export function issued(sale: Sale): InvoiceRecord {
  const { lines, rate = 1900, inclusive = false, treatment = 'standard', currency = 'EUR' } = sale;
  const tax: AppliedTax = {
    basisPoints: rate,
    isInclusive: inclusive,
    treatment,
    country: 'DE',
    reason: treatment === 'exempt' ? 'embassy' : '',
    consultation: '',
    checkedAt: null,
  };
  const items = lines.map((line, index): InvoiceItem => {
    const { unit, quantity = 1, setupFee = 0, discount = 0, days = 0 } = line;
    return {
      purpose: 'renewal',
      description: `Server <${index}> & Co`,
      subscriptionId: 's',
      productId: 'p',
      productName: 'x',
      quantity,
      unitPriceMinor: unit,
      setupFeeMinor: setupFee,
      discountMinor: discount,
      ...withTax(quantity * (unit + setupFee) - discount, tax),
      periodStart: days > 0 ? at : null,
      periodEnd: days > 0 ? new Date(at.getTime() + days * 86_400_000) : null,
    };
  });
  const profile: BillingProfile = {
    userId: 'u',
    name: 'Ada Lovelace',
    company: '',
    address: 'Ring 3\n04109 Leipzig',
    country: 'DE',
    vatNumber: '',
    ...sale.profile,
  };
  const customer = { id: 'u', email: 'ada@example.com', name: 'Ada', language: sale.language ?? 'de' };
  const request = { id: 'i', userId: 'u', currency, at, dueAt: new Date('2026-03-08T12:00:00Z'), items, tax };
  const settings = { ...testSettings, seller: sale.seller ?? seller };
  return { ...prepareInvoice(request, { settings, profile, customer }), number: 'INV-000042', sequence: 42 };
}
