import type { TaxLine as LineMessage } from '@panel/protos/billing';
import type { TaxLine } from '../domain/tax.js';
import { presentMoney } from './money.js';

export function presentTaxLine(
  { basisPoints, netMinor, taxMinor, totalMinor }: TaxLine,
  currency: string,
): LineMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return { rateBasisPoints: basisPoints, net: money(netMinor), tax: money(taxMinor), total: money(totalMinor) };
}
