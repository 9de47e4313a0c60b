import { createMollieGateway } from '../../src/payments/mollie/gateway.js';
import { FakeMollie, mollieKeys } from './fake-mollie.js';
import type { ProviderFixture, WrongPayment } from './fixture.js';

const attemptTimeoutMs = 400;
export const panelUrl = 'https://panel.example.com';

export type MollieFixture = ProviderFixture & { readonly provider: FakeMollie };

function deviations({ amount, invoiceId }: WrongPayment): Record<string, unknown> {
  const value = ((amount?.amountMinor ?? 0) / 100).toFixed(2);
  return {
    ...(amount && { amount: { currency: amount.currency, value } }),
    ...(invoiceId !== undefined && { metadata: { invoice_id: invoiceId, customer_id: 'c' } }),
  };
}

/** With signed events of a subscription. */
export async function startMollie(address = panelUrl): Promise<MollieFixture> {
  const clock = { now: new Date('2026-03-01T12:00:00Z') };
  const provider = new FakeMollie(() => clock.now);
  const server = await provider.start();
  const settings = { ...mollieKeys, apiBase: server.address, attemptTimeoutMs };
  const report = (id: string, options: Parameters<FakeMollie['deliverEvent']>[1] = {}) =>
    provider.deliverEvent(provider.event('payment.paid', provider.payment(id)), options);
  return {
    provider,
    server,
    clock,
    attemptTimeoutMs,
    gateway: createMollieGateway(settings, { clock: () => clock.now, panelUrl: async () => address }),
    checkout: 'redirect',
    paths: { checkout: '/v2/payments', refund: '/refunds' },
    secrets: Object.values(mollieKeys),
    signatureHeader: 'x-mollie-signature',
    maxAgeSeconds: 27 * 3600,
    count: (what) => (what === 'payment_sessions' ? provider.paymentCount : provider.refundCount),
    pay: (reference, { ageSeconds, isForged } = {}) =>
      report(provider.pay(reference), {
        ...(ageSeconds !== undefined && { ageSeconds }),
        ...(isForged && { secret: 'secret of another account' }),
      }),
    payWrongly: (reference, change) => report(provider.pay(reference, deviations(change))),
    reportAgain: (reference) => report(reference),
    reportRefund: (refundId) => {
      const paymentId = provider.paymentOfRefund(refundId);
      return provider.deliverEvent(provider.event('refund.refunded', { id: refundId, paymentId }));
    },
    reportDispute: (reference, outcome) => {
      // Only a direct debit is lost at once.
      if (outcome === 'lost') Object.assign(provider.payment(reference), { method: 'directdebit' });
      return report(provider.chargeBack(reference, outcome === 'won' ? clock.now.toISOString() : null));
    },
    reportForeignPayment: () => report(provider.foreignPayment()),
    reportUnknownKind: () => provider.deliverEvent(provider.event('profile.blocked', { id: 'pfl_1' })),
    stop: () => server.stop(),
  };
}

/** With the payments' own webhooks, which name an id and carry no signature. */
export async function startClassicMollie(): Promise<MollieFixture> {
  const fixture = await startMollie();
  const { provider } = fixture;
  return {
    ...fixture,
    pay: (reference) => provider.deliver(provider.pay(reference)),
    payWrongly: (reference, change) => provider.deliver(provider.pay(reference, deviations(change))),
    reportAgain: (reference) => provider.deliver(reference),
    reportRefund: (refundId) => provider.deliver(provider.paymentOfRefund(refundId)),
    reportDispute: (reference, outcome) => {
      fixture.reportDispute(reference, outcome);
      return provider.deliver(reference);
    },
    reportForeignPayment: () => provider.deliver(provider.foreignPayment()),
    reportUnknownKind: () => provider.deliver('tr_unknown1'),
  };
}
