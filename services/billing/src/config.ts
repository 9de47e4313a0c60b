import { type Environment, parseEnvironment } from '@panel/kit';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import type { PaymentSettings } from './payments/gateways.js';
import { paymentSettings, paymentVariables } from './payments/settings.js';

export interface BillingConfig extends ServiceConfig {
  /** gRPC target of the servers service, which provisions what is sold. */
  readonly serversAddress: string;
  /** Keys of the payment providers. */
  readonly payments: PaymentSettings;
}

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): BillingConfig {
  const parsed = parseEnvironment(env, {
    ...serviceVariables,
    ...paymentVariables,
    SERVERS_ADDRESS: grpcTarget.describe('host:port of the servers service'),
  });
  return { ...serviceConfig(parsed), serversAddress: parsed.SERVERS_ADDRESS, payments: paymentSettings(parsed) };
}
