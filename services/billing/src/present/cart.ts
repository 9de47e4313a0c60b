import { enumOf, messageFields } from '@panel/kit/records';
import { type Cart as CartMessage, TaxTreatment } from '@panel/protos/billing';
import type { PricedCart } from '../domain/priced-cart.js';
import { presentMoney } from './money.js';
import { presentTaxLine } from './tax.js';

export function presentCart(cart: PricedCart): CartMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, cart.currency);
  return {
    ...messageFields(cart),
    items: cart.items.map((item) => ({
      ...messageFields(item),
      unitPrice: money(item.unitPriceMinor),
      setupFee: money(item.setupFeeMinor),
      subtotal: money(item.subtotalMinor),
      discount: money(item.discountMinor),
    })),
    subtotal: money(cart.subtotalMinor),
    discount: money(cart.discountMinor),
    tax: money(cart.taxMinor),
    total: money(cart.totalMinor),
    taxTreatment: enumOf(TaxTreatment, cart.taxTreatment),
    taxes: cart.taxLines.map((line) => presentTaxLine(line, cart.currency)),
  };
}
