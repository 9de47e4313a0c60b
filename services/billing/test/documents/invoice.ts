import type { BankTransfer } from '../../src/domain/bank-transfer.js';
import type { InvoiceView } from '../../src/documents/invoice-view.js';

/** An invoice of 23.80 EUR, paid. */
export function invoiceView(change: Partial<InvoiceView> = {}): InvoiceView {
  return {
    number: 'INV-000042',
    issuedAt: new Date('2026-03-01T12:00:00Z'),
    dueAt: new Date('2026-03-08T12:00:00Z'),
    timezone: 'UTC',
    language: 'en',
    seller: { name: 'Panel Hosting', address: 'Main Street 1\n10115 Berlin', vatNumber: 'DE123456789' },
    customer: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      company: 'Analytical Engines',
      address: 'St James Square 12\nLondon',
      country: 'GB',
      vatNumber: 'GB999999973',
    },
    lines: [
      {
        description: 'Minecraft 4 GB',
        setupFee: 0,
        quantity: 2,
        unitPrice: 1100,
        discount: 200,
        period: null,
        taxRate: 1900,
        tax: 380,
        total: 2380,
      },
    ],
    subtotal: 2200,
    discount: 200,
    taxes: [{ basisPoints: 1900, netMinor: 2000, taxMinor: 380, totalMinor: 2380 }],
    taxInclusive: false,
    treatment: 'standard',
    taxReason: '',
    total: 2380,
    currency: 'EUR',
    status: 'paid',
    payments: [{ method: 'stripe', reference: 'pi_123', amount: 2380, at: new Date('2026-03-02T09:00:00Z') }],
    transfer: null,
    ...change,
  };
}

/** Of an unpaid invoice. */
export const transfer: BankTransfer = {
  account: { holder: 'Panel Hosting', iban: 'DE02120300000000202051', bic: 'BYLADEM1001', instructions: 'Thank you.' },
  amount: { amountMinor: 2_380, currency: 'EUR' },
  reference: 'INV-000042',
  dueAt: new Date('2026-03-08T12:00:00Z'),
  code: 'BCD',
};

export const maliciousNames = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><style>body{background:url(http://evil.example)}',
  '&lt;b&gt;',
  '%PDF-1.7 (\\) Tj ET endstream /JS (app.alert(1))',
];
