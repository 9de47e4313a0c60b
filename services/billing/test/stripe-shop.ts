import { randomUUID } from 'node:crypto';
import { CheckoutRequest } from '@panel/protos/billing';
import type { BillingOverrides } from '../src/context.js';
import type { InvoiceRecord } from '../src/domain/invoice.js';
import type { Product } from '../src/domain/product.js';
import type { WebhookRequest } from '../src/domain/payment.js';
import { createStripeGateway } from '../src/payments/stripe/gateway.js';
import { newUserId, type RunningBilling, startTestBilling } from './harness.js';
import { FakeStripe, stripeKeys } from './payments/fake-stripe.js';

export const euros = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });

interface Paid {
  readonly invoiceId: string;
  /** Of Stripe's payment. */
  readonly intentId: string;
}

interface Purchase {
  readonly sold?: Partial<Product>;
  readonly savePaymentMethod?: boolean;
}

export type StripeShop = Awaited<ReturnType<typeof startStripeShop>>;

/** Billing with a fake Stripe. Each is to be stopped. */
export async function startStripeShop(options: Pick<BillingOverrides, 'failpoint' | 'documents' | 'mail'> = {}) {
  const billing: RunningBilling = await startTestBilling(options);
  const stripe = new FakeStripe(() => billing.now());
  const server = await stripe.start();
  const settings = { ...stripeKeys, apiBase: server.address, attemptTimeoutMs: 2_000 };
  billing.gateways.set(
    'stripe',
    createStripeGateway(settings, () => billing.now()),
  );

  const receive = async ({ rawBody, headers }: WebhookRequest) => {
    const single = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));
    return billing.payments.receiveWebhook({ gateway: 'stripe', rawBody: Buffer.from(rawBody), headers: single });
  };
  const invoiceOf = async (invoiceId: string): Promise<InvoiceRecord> => {
    const invoice = await billing.context.invoices.get(invoiceId);
    if (!invoice) throw new Error('no invoice');
    return invoice;
  };
  const buy = async (user: string, paymentMethod: string, { sold = {}, savePaymentMethod = false }: Purchase = {}) => {
    const product = await billing.sell(sold);
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod, items, savePaymentMethod });
    const { invoice, services, paymentUrl } = await billing.orders.checkout(request, billing.as(user));
    const sessionId = paymentUrl.split('/').at(-1) ?? '';
    return { invoiceId: invoice?.id ?? '', serviceId: services[0]?.id ?? '', sessionId };
  };
  const pay = async (sessionId: string, invoiceId: string): Promise<Paid> => {
    await receive(stripe.deliver(stripe.pay(sessionId)));
    return { invoiceId, intentId: (await invoiceOf(invoiceId)).payments[0]?.reference ?? '' };
  };
  return {
    billing,
    stripe,
    server,
    receive,
    invoiceOf,
    /** Not paid yet, unless from credits. */
    buy,
    pay,
    /** Paid by card, with a server. */
    paidOrder: async (user: string) => {
      const bought = await buy(user, 'stripe');
      const paid = await pay(bought.sessionId, bought.invoiceId);
      await billing.runUntilIdle();
      return { ...bought, ...paid };
    },
    topUp: async (user: string, amountMinor: number): Promise<Paid> => {
      const request = { amount: euros(amountMinor), paymentMethod: 'stripe', returnUrl: '' };
      const { paymentUrl, invoice } = await billing.credits.buyCredits(request, billing.as(user));
      const paid = await pay(paymentUrl.split('/').at(-1) ?? '', invoice?.id ?? '');
      await billing.runUntilIdle();
      return paid;
    },
    /** Without the jobs that follow. */
    dispute: async (intentId: string, status: string) => receive(stripe.deliver(stripe.disputeEvent(intentId, status))),
    statusOf: async (user: string, serviceId: string) =>
      (await billing.services.getService({ serviceId }, billing.as(user))).service?.status,
    balanceOf: async (user: string) => billing.context.credits.balance(user, 'EUR'),
    staff: () => billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID()),
    stop: async () => {
      await billing.stop();
      await server.stop();
    },
  };
}
