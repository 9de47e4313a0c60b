import type { PaymentGateway } from './payment-gateway.js';
import { createManualGateway } from './manual-gateway.js';
import type { MollieSettings } from './mollie/client.js';
import { createMollieGateway } from './mollie/gateway.js';
import { createPayPalGateway } from './paypal/gateway.js';
import type { PayPalSettings } from './paypal/client.js';
import { createStripeGateway } from './stripe/gateway.js';
import type { StripeSettings } from './stripe/client.js';

/** Null: no keys, gateway not offered. */
export interface PaymentSettings {
  readonly stripe: StripeSettings | null;
  readonly paypal: PayPalSettings | null;
  readonly mollie: MollieSettings | null;
}

/** Without credits, paid from the ledger. `clock` is real: the providers' messages have a time. */
export function createPaymentGateways(
  settings: PaymentSettings,
  { clock, panelUrl }: { readonly clock: () => Date; readonly panelUrl: () => Promise<string> },
): ReadonlyMap<string, PaymentGateway> {
  const gateways = [
    createManualGateway(),
    ...(settings.stripe ? [createStripeGateway(settings.stripe, clock)] : []),
    ...(settings.paypal ? [createPayPalGateway(settings.paypal, clock)] : []),
    ...(settings.mollie ? [createMollieGateway(settings.mollie, { clock, panelUrl })] : []),
  ];
  return new Map(gateways.map((gateway) => [gateway.name, gateway]));
}
