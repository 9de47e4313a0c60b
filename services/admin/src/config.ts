import { parseAddressRanges } from '@panel/kit/net';
import { type Environment, parseEnvironment } from '@panel/kit/process';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import { siteUrl } from './domain/text.js';

export interface AdminConfig extends ServiceConfig {
  /** Public address of the panel until the settings name one; links in mails start with it. */
  readonly panelUrl?: string | undefined;
  /** Show the text of mails that the driver `log` does not send to the parent process, by IPC: the launcher prints it. */
  readonly showsMailToParent: boolean;
  /** Loopback, link-local and other internal ranges that the mail server may be in. */
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

/** The variables this process reads. */
export const variables = {
  ...serviceVariables,
  PANEL_URL: siteUrl.optional().describe('http or https address of the panel'),
  SMTP_ALLOWED_ADDRESSES: addressRanges
    .prefault('')
    .describe('internal ranges a mail server may have, like 127.0.0.0/8,::1'),
  MAIL_SHOW: z.enum(['parent', '']).default('').describe('parent: for development, set by the launcher'),
};

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): AdminConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    ...serviceConfig(parsed),
    panelUrl: parsed.PANEL_URL,
    smtpAllowedAddresses: parsed.SMTP_ALLOWED_ADDRESSES,
    showsMailToParent: parsed.MAIL_SHOW === 'parent',
  };
}
