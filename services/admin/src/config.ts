import { type Environment, parseEnvironment } from '@panel/kit';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { siteUrl } from './domain/text.js';

export interface AdminConfig extends ServiceConfig {
  /** Where people reach the panel until the settings say otherwise; links in mails begin with it. */
  readonly panelUrl?: string | undefined;
}

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): AdminConfig {
  const parsed = parseEnvironment(env, {
    ...serviceVariables,
    PANEL_URL: siteUrl.optional().describe('http or https address of the panel'),
  });
  return { ...serviceConfig(parsed), panelUrl: parsed.PANEL_URL };
}
