import type { ActivityEvent, EventsWith } from '@panel/activity';
import {
  type Coupon,
  type GiftCode,
  type ImportBankStatementRequest,
  type ImportBankStatementResponse,
  type Invoice,
  type Money,
  type Order,
  type Product,
  type RedeemGiftCodeResponse,
  type Service,
  StatementEntry_Result,
} from '@panel/protos/billing';

type OrUndefined<T> = T | undefined;

const textOf = (money: OrUndefined<Money>): string => (money ? `${money.amountMinor} ${money.currency}` : '');

export function orderEvent(event: EventsWith<'order' | 'total'>) {
  return (_: unknown, { order }: { readonly order?: OrUndefined<Order> }): ActivityEvent => ({
    event,
    userId: order?.userId ?? '',
    properties: { order: order?.number ?? '', total: textOf(order?.total) },
  });
}

export function invoiceEvent(event: EventsWith<'invoice' | 'total'>) {
  return (_: unknown, { invoice }: { readonly invoice?: OrUndefined<Invoice> }): ActivityEvent => ({
    event,
    userId: invoice?.userId ?? '',
    properties: { invoice: invoice?.number ?? '', total: textOf(invoice?.total) },
  });
}

/** Of what is booked, not of what would be. */
export function statementEvent(
  { dryRun }: ImportBankStatementRequest,
  { entries }: ImportBankStatementResponse,
): ActivityEvent | null {
  if (dryRun) return null;
  const { BOOKED, CREDITED, PARTLY_PAID } = StatementEntry_Result;
  const booked = entries.filter(({ result }) => result === BOOKED || result === CREDITED || result === PARTLY_PAID);
  const properties = { count: String(entries.length), booked: String(booked.length) };
  return { event: 'billing:statement.import', properties };
}

export function serviceEvent(event: EventsWith<'service' | 'product' | 'plan'>) {
  return (_: unknown, { service }: { readonly service?: OrUndefined<Service> }): ActivityEvent => ({
    event,
    userId: service?.userId ?? '',
    properties: { service: service?.id ?? '', product: service?.productName ?? '', plan: service?.planName ?? '' },
  });
}

export function grantEvent({
  userId,
  amount,
  reason,
}: {
  readonly userId: string;
  readonly amount?: OrUndefined<Money>;
  readonly reason: string;
}): ActivityEvent {
  return { event: 'billing:credits.grant', userId, properties: { amount: textOf(amount), reason } };
}

/** Events of the catalogue. */
export function productEvent(event: 'billing:product.create' | 'billing:product.update') {
  return (_: unknown, { product }: { readonly product?: OrUndefined<Product> }): ActivityEvent => ({
    event,
    properties: { id: product?.id ?? '', name: product?.name ?? '' },
  });
}

export function productDeletedEvent({ productId }: { readonly productId: string }): ActivityEvent {
  return { event: 'billing:product.delete', properties: { id: productId } };
}

export function couponEvent(event: EventsWith<'id' | 'code'>) {
  return (_: unknown, { coupon }: { readonly coupon?: OrUndefined<Coupon> }): ActivityEvent => ({
    event,
    properties: { id: coupon?.id ?? '', code: coupon?.code ?? '' },
  });
}

export function couponDeletedEvent({ couponId }: { readonly couponId: string }): ActivityEvent {
  return { event: 'billing:coupon.delete', properties: { id: couponId } };
}

/** Of the first of them: the codes themselves are secret. */
export function giftCodesCreatedEvent(
  _: unknown,
  { giftCodes }: { readonly giftCodes: readonly GiftCode[] },
): ActivityEvent {
  const properties = {
    id: giftCodes[0]?.id ?? '',
    count: String(giftCodes.length),
    amount: textOf(giftCodes[0]?.amount),
  };
  return { event: 'billing:gift-code.create', properties };
}

export function giftCodeDeletedEvent({ giftCodeId }: { readonly giftCodeId: string }): ActivityEvent {
  return { event: 'billing:gift-code.delete', properties: { id: giftCodeId } };
}

export function giftCodeRedeemedEvent(_: unknown, { entry, userId }: RedeemGiftCodeResponse): ActivityEvent {
  const properties = { id: entry?.reference ?? '', amount: textOf(entry?.amount) };
  return { event: 'billing:gift-code.redeem', userId, properties };
}
