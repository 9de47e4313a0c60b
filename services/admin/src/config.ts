import { type Environment, parseEnvironment, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/kit';

export type AdminConfig = ServiceConfig;

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): AdminConfig {
  return serviceConfig(parseEnvironment(env, serviceVariables));
}
