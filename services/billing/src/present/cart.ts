import { Cart as CartMessage, CartItem as ItemMessage } from '@panel/protos/billing';
import type { PricedCart } from '../domain/priced-cart.js';
import { presentConfig } from './config.js';
import { presentMoney } from './money.js';

export function presentCart(cart: PricedCart): CartMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, cart.currency);
  return CartMessage.create({
    id: cart.id,
    items: cart.items.map((item) =>
      ItemMessage.create({
        id: item.id,
        productId: item.productId,
        planId: item.planId,
        quantity: item.quantity,
        config: presentConfig(item.config),
        productName: item.productName,
        planName: item.planName,
        unitPrice: money(item.unitPriceMinor),
        setupFee: money(item.setupFeeMinor),
        subtotal: money(item.subtotalMinor),
        discount: money(item.discountMinor),
        problem: item.problem,
      }),
    ),
    couponCode: cart.couponCode,
    subtotal: money(cart.subtotalMinor),
    discount: money(cart.discountMinor),
    tax: money(cart.taxMinor),
    total: money(cart.totalMinor),
  });
}
