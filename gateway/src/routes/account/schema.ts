import { isIP } from 'node:net';
import { z } from 'zod';
import { time } from '../../declaration/present.js';

export const user = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    username: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    language: z.string().describe('BCP 47 tag'),
    role: z.strictObject({ id: z.uuid(), name: z.string() }),
    two_factor_enabled: z.boolean(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'User' });

export const apiKey = z
  .strictObject({
    id: z.uuid(),
    description: z.string(),
    allowed_ips: z.array(z.string()).describe('empty: all addresses'),
    identifier: z.string().describe('first characters of the key'),
    permissions: z.array(z.string()).nullable().describe("null: all of the owner's"),
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'ApiKey' });

export const createdApiKey = apiKey
  .extend({ key: z.string().describe('the key itself; shown this once') })
  .meta({ id: 'CreatedApiKey' });

const addressOrRange = z.string().refine(isAddressOrRange, 'must be an IP address or a CIDR range');

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
}

export const createApiKeyBody = z.strictObject({
  description: z.string().trim().min(1).max(500),
  allowed_ips: z.array(addressOrRange).max(50).default([]),
  expires_at: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((date) => date.getTime() > Date.now(), 'must be in the future')
    .nullish(),
  permissions: z.array(z.string().min(1).max(64)).max(100).nullish(),
});

export const updateAccountBody = z.strictObject({
  email: z.string().min(1).max(320).optional(),
  current_password: z.string().max(1024).optional().describe('needed to change the e-mail address'),
  username: z.string().max(64).optional(),
  first_name: z.string().max(191).optional(),
  last_name: z.string().max(191).optional(),
  language: z.string().max(35).optional(),
});

export const changePasswordBody = z.strictObject({
  current_password: z.string().min(1).max(1024),
  password: z.string().min(1).max(1024).describe('at least 10 characters'),
});

export const beginTwoFactorBody = z.strictObject({ password: z.string().min(1).max(1024) });

export const twoFactorSecret = z.strictObject({
  secret: z.string().describe('base32'),
  otpauth_url: z.string(),
  qr_code: z.string().describe('an SVG image as a data: URL'),
});

export const confirmTwoFactorBody = z.strictObject({ code: z.string().regex(/^\d{6}$/, 'must be six digits') });

export const recoveryCodes = z.strictObject({
  recovery_codes: z.array(z.string()).describe('each works once in place of a code; shown this once'),
});

export const session = z
  .strictObject({
    id: z.uuid(),
    ip: z.string(),
    user_agent: z.string(),
    created_at: time,
    last_used_at: time.nullable(),
    expires_at: time,
    current: z.boolean().describe('whether this request was made with it'),
  })
  .meta({ id: 'Session' });
