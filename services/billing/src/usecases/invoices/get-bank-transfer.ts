import QRCode from 'qrcode';
import type { BillingContext } from '../../context.js';
import { type BankAccount, epcText } from '../../domain/bank-transfer.js';
import { type InvoiceRecord, isPayable, paidMinor } from '../../domain/invoice.js';
import type { Money } from '../../domain/payment.js';
import { fail } from '../../reasons.js';

interface BankTransfer {
  readonly account: BankAccount;
  readonly amount: Money;
  readonly reference: string;
  readonly dueAt: Date;
  /** SVG as a data URL, or empty. */
  readonly qrCode: string;
}

/** Throws INVOICE_NOT_PAYABLE, BANK_TRANSFER_NOT_SET_UP. */
export async function getBankTransfer(
  { settings }: Pick<BillingContext, 'settings'>,
  invoice: InvoiceRecord,
): Promise<BankTransfer> {
  if (!isPayable(invoice)) throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
  const { bank: account } = await settings.read();
  if (!account) throw fail('BANK_TRANSFER_NOT_SET_UP', 'the settings name no bank account');
  const amount = { amountMinor: invoice.totalMinor - paidMinor(invoice), currency: invoice.currency };
  const { number: reference, dueAt } = invoice;
  const text = epcText(account, amount, reference);
  return { account, amount, reference, dueAt, qrCode: text === null ? '' : await qrCodeOf(text) };
}

/** With the error correction that EPC codes need. */
async function qrCodeOf(text: string): Promise<string> {
  const svg = await QRCode.toString(text, { type: 'svg', errorCorrectionLevel: 'M' });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
