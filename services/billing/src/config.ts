import { createFailpoint, type Environment, type Failpoint, parseEnvironment } from '@panel/kit/process';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import type { PaymentSettings } from './payments/gateways.js';
import { paymentSettings, paymentVariables, refuseLivePayments } from './payments/settings.js';

export interface BillingConfig extends ServiceConfig {
  readonly serversAddress: string;
  readonly identityAddress: string;
  readonly adminAddress: string;
  readonly payments: PaymentSettings;
  readonly viesApiBase: string;
  readonly failpoint: Failpoint;
}

export const variables = {
  ...serviceVariables,
  ...paymentVariables,
  SERVERS_ADDRESS: grpcTarget.describe('host:port of the servers service'),
  IDENTITY_ADDRESS: grpcTarget.describe('host:port of the identity service'),
  ADMIN_ADDRESS: grpcTarget.describe('host:port of the admin service'),
  VIES_API_BASE: z
    .url({ protocol: /^https?$/, error: 'must look like https://api.example.com' })
    .default('https://ec.europa.eu/taxation_customs/vies/rest-api')
    .describe('base URL of the REST API of VIES, which checks VAT numbers of the EU when the settings say so'),
  FAILPOINT: z
    .string()
    .optional()
    .describe('point in the code at which the process fails on purpose, like start.claimed:kill; for tests only'),
};

/** Throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): BillingConfig {
  const parsed = parseEnvironment(env, variables);
  const payments = paymentSettings(parsed);
  if (parsed.TEST_CLOCK === 'true') refuseLivePayments(payments);
  return {
    ...serviceConfig(parsed),
    serversAddress: parsed.SERVERS_ADDRESS,
    identityAddress: parsed.IDENTITY_ADDRESS,
    adminAddress: parsed.ADMIN_ADDRESS,
    payments,
    viesApiBase: parsed.VIES_API_BASE,
    failpoint: createFailpoint(parsed.FAILPOINT),
  };
}
