import { isIP } from 'node:net';
import { ApiKey, RoleRef, Session, SshKey, User } from '@panel/protos/identity';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

const role = resource(RoleRef, '', { id: is.uuid('id'), name: is.text('name') });

export const user = resource(User, 'User', {
  id: is.uuid('id'),
  email: is.text('email'),
  username: is.text('username'),
  first_name: is.text('firstName'),
  last_name: is.text('lastName'),
  language: is.text('language', 'BCP 47 tag'),
  role: is.part('role', role),
  two_factor_enabled: is.flag('twoFactorEnabled'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

export const apiKey = resource(ApiKey, 'ApiKey', {
  id: is.uuid('id'),
  description: is.text('description'),
  allowed_ips: is.texts('allowedIps', 'empty: all addresses'),
  identifier: is.text('identifier', 'first characters of the key'),
  permissions: is.computed(
    z.array(z.string()).nullable().describe("null: all of the owner's"),
    ({ permissions }: ApiKey) => permissions?.permissions ?? null,
  ),
  last_used_at: is.timeOrNull('lastUsedTime'),
  expires_at: is.timeOrNull('expireTime'),
  created_at: is.time('createTime'),
});

export const createdApiKey = apiKey.schema
  .extend({ key: z.string().describe('the key itself; shown this once') })
  .meta({ id: 'CreatedApiKey' });

export const session = resource(Session, 'Session', {
  id: is.uuid('id'),
  ip: is.text('ip'),
  user_agent: is.text('userAgent'),
  created_at: is.time('createTime'),
  last_used_at: is.timeOrNull('lastUsedTime'),
  expires_at: is.time('expireTime'),
  current: is.flag('current', 'whether this request was made with it'),
});

export const sshKey = resource(SshKey, 'SshKey', {
  id: is.uuid('id'),
  name: is.text('name'),
  algorithm: is.text('algorithm', 'like ssh-ed25519'),
  fingerprint: is.text('fingerprint', 'as ssh-keygen -l prints it'),
  public_key: is.text('publicKey', 'algorithm and key, without a comment'),
  last_used_at: is.timeOrNull('lastUsedTime'),
  created_at: is.time('createTime'),
});

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
