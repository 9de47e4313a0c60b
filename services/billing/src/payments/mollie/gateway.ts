import type { PaymentEvent } from '../../domain/payment.js';
import type { PaymentGateway } from '../payment-gateway.js';
import { isConvertible } from '../provider-amount.js';
import { toMollieAmount } from './amounts.js';
import { chargeStored, refund } from './charges.js';
import { MollieClient, type MollieSettings } from './client.js';
import { paymentEvents } from './events.js';
import { Lookups } from './lookups.js';
import { listPayments, retrievePayment } from './payments.js';
import { createSession } from './sessions.js';
import { webhookUrlOf } from './webhook-url.js';
import { parseMollieWebhook } from './webhook.js';

interface MollieDeps {
  readonly clock: () => Date;
  /** Of the settings: its webhook is called there. */
  readonly panelUrl: () => Promise<string>;
}

/** Cards, iDEAL, Bancontact, SEPA and others by the Payments API; mandates are charged without the customer. */
export function createMollieGateway(settings: MollieSettings, { clock, panelUrl }: MollieDeps): PaymentGateway {
  const client = new MollieClient(settings);
  const lookups = new Lookups<PaymentEvent[]>(clock);
  const webhookUrl = async () => webhookUrlOf(await panelUrl());
  const findEvents = async (paymentId: string) => {
    const payment = await retrievePayment(client, paymentId);
    return payment && paymentEvents(payment);
  };
  return {
    name: 'mollie',
    canStoreMethods: true,
    canCharge: (amount) => isConvertible(amount, toMollieAmount),
    createSession: async (request) => createSession(client, await webhookUrl(), request),
    confirmSession: async (reference) => (await findEvents(reference)) ?? [],
    chargeStored: async (request) => chargeStored({ client, clock, webhookUrl: await webhookUrl() }, request),
    refund: async (request) => refund(client, request),
    parseWebhook: async (request) =>
      parseMollieWebhook({ webhookSecret: settings.webhookSecret, clock, lookups, findEvents }, request),
    listPayments: (since, until) => listPayments(client, since, until),
  };
}
