import type { BillingContext } from '../../context.js';
import { qrCodeSvg } from '../../documents/qr-code.js';
import { type BankTransfer, transferOf } from '../../domain/bank-transfer.js';
import { type InvoiceRecord, isPayable } from '../../domain/invoice.js';
import { fail } from '../../reasons.js';

interface ShownTransfer extends BankTransfer {
  /** SVG as a data URL, or empty. */
  readonly qrCode: string;
}

/** Throws INVOICE_NOT_PAYABLE, BANK_TRANSFER_NOT_SET_UP. */
export async function getBankTransfer(
  { settings }: Pick<BillingContext, 'settings'>,
  invoice: InvoiceRecord,
): Promise<ShownTransfer> {
  const { bank } = await settings.read();
  const transfer = bank && transferOf(invoice, bank);
  if (transfer) return { ...transfer, qrCode: transfer.code === null ? '' : dataUrlOf(transfer.code) };
  if (!isPayable(invoice)) throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
  throw fail('BANK_TRANSFER_NOT_SET_UP', 'the settings name no bank account');
}

function dataUrlOf(code: string): string {
  const svg = qrCodeSvg(code, 'EPC');
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
