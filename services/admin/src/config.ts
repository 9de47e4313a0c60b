import { parseAddressRanges } from '@panel/kit/net';
import { type Environment, parseEnvironment } from '@panel/kit/process';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import { siteUrl } from './domain/text.js';

export interface AdminConfig extends ServiceConfig {
  /** Until the settings name one; prefix of links in mails. */
  readonly panelUrl?: string | undefined;
  /** Mails of the driver `log` go to the parent process (launcher) by IPC. */
  readonly showsMailToParent: boolean;
  /** Internal ranges allowed for the mail server. */
  readonly smtpAllowedAddresses: readonly string[];
}

const addressRanges = z
  .string()
  .transform((text) => text.split(',').flatMap((range) => (range.trim() === '' ? [] : [range.trim()])))
  .refine(areAddressRanges, 'must be addresses or CIDR ranges, separated by commas');

function areAddressRanges(ranges: readonly string[]): boolean {
  try {
    parseAddressRanges(ranges);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

export const variables = {
  ...serviceVariables,
  PANEL_URL: siteUrl.optional().describe('http or https address of the panel'),
  SMTP_ALLOWED_ADDRESSES: addressRanges
    .prefault('')
    .describe('internal ranges a mail server may have, like 127.0.0.0/8,::1'),
  MAIL_SHOW: z.enum(['parent', '']).default('').describe('parent: for development, set by the launcher'),
};

/** Throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): AdminConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    ...serviceConfig(parsed),
    panelUrl: parsed.PANEL_URL,
    smtpAllowedAddresses: parsed.SMTP_ALLOWED_ADDRESSES,
    showsMailToParent: parsed.MAIL_SHOW === 'parent',
  };
}
