import { type Environment, parseEnvironment } from '@panel/kit';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';

export interface BillingConfig extends ServiceConfig {
  /** gRPC target of the servers service, which provisions what is sold. */
  readonly serversAddress: string;
}

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): BillingConfig {
  const parsed = parseEnvironment(env, {
    ...serviceVariables,
    SERVERS_ADDRESS: grpcTarget.describe('host:port of the servers service'),
  });
  return { ...serviceConfig(parsed), serversAddress: parsed.SERVERS_ADDRESS };
}
