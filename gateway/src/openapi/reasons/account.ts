import type { GeneralReason } from './general.js';
import { conflict, type EndpointReasons, forbidden, type ReasonEntries, retry, unauthorized } from './reason.js';

/** Reasons of accounts, and of users and roles for staff. */
export const accountReasons = {
  challenge_ended: unauthorized('the challenge has expired, or had too many wrong codes', 'sign in with the password'),
  invalid_link: unauthorized('the token of the mail is unknown, used or expired', 'request another mail'),
  permission_exceeds_own: forbidden('more than the caller holds', 'let a user with these permissions do it'),
  own_rate_limit: forbidden('this would raise the rate limit of the caller', 'let another administrator do it'),
  two_factor_enabled: conflict('two-factor authentication is on', 'show that it is on'),
  two_factor_disabled: conflict('two-factor authentication is off', 'show that it is off'),
  two_factor_not_started: conflict('no secret waits for its first code', 'begin again with `POST /account/2fa`'),
  api_key_limit: conflict('the user has as many API keys as they may', 'delete one'),
  api_key_unrecoverable: conflict(
    'the key was created, but its value cannot be read again',
    'delete it and create another with a new `Idempotency-Key`',
  ),
  ssh_key_exists: conflict('the key belongs to an account already', 'use it, or take another key'),
  ssh_key_limit: conflict('the user has as many SSH keys as they may', 'delete one'),
  concurrent_change: conflict('the user or role was changed at the same moment', retry),
  email_taken: conflict('another user has this e-mail address', 'take another address'),
  username_taken: conflict('another user has this name', 'take another name'),
  role_name_taken: conflict('another role has this name', 'take another name'),
  role_is_system: conflict('the role belongs to the panel', 'make a role of your own'),
  role_in_use: conflict('users have the role', 'give them another role first'),
  last_admin: conflict('no other user has the role `admin`', 'give it to another user first'),
  user_owns_servers: conflict('the user owns servers', 'delete them or give them away first'),
  user_has_obligations: conflict(
    'the user has credits, debts, open invoices or active services (`credits`, `debts`, `open_invoices_count`, `open_invoices_due`, `active_services_count`)',
    'settle them, or repeat with `?force=true`',
  ),
} satisfies ReasonEntries;

type Name = keyof typeof accountReasons | GeneralReason;

export const accountEndpoints: EndpointReasons<Name> = {
  'POST /api/v1/auth/2fa/verify': ['challenge_ended'],
  'POST /api/v1/auth/password/reset': ['invalid_link'],
  'POST /api/v1/browser/2fa': ['challenge_ended'],
  'PUT /api/v1/account': ['concurrent_change', 'email_taken', 'username_taken'],
  'POST /api/v1/account/2fa': ['two_factor_enabled'],
  'POST /api/v1/account/2fa/confirm': ['two_factor_enabled', 'two_factor_not_started'],
  'DELETE /api/v1/account/2fa': ['two_factor_disabled'],
  'POST /api/v1/account/api-keys': [
    'permission_exceeds_own',
    'api_key_limit',
    'api_key_unrecoverable',
    'creation_deleted',
  ],
  'POST /api/v1/account/ssh-keys': ['ssh_key_exists', 'ssh_key_limit', 'creation_deleted'],
  'POST /api/v1/admin/users': [
    'permission_exceeds_own',
    'creation_deleted',
    'email_taken',
    'username_taken',
    'external_id_taken',
  ],
  'PUT /api/v1/admin/users/{id}': [
    'permission_exceeds_own',
    'own_rate_limit',
    'concurrent_change',
    'email_taken',
    'username_taken',
    'external_id_taken',
    'last_admin',
  ],
  'DELETE /api/v1/admin/users/{id}': [
    'permission_exceeds_own',
    'concurrent_change',
    'last_admin',
    'user_has_obligations',
    'user_owns_servers',
  ],
  'DELETE /api/v1/admin/users/{id}/2fa': ['permission_exceeds_own'],
  'GET /api/v1/admin/users/{id}/api-keys': ['permission_exceeds_own'],
  'DELETE /api/v1/admin/users/{id}/api-keys/{key-id}': ['permission_exceeds_own'],
  'GET /api/v1/admin/users/{id}/sessions': ['permission_exceeds_own'],
  'DELETE /api/v1/admin/users/{id}/sessions': ['permission_exceeds_own'],
  'POST /api/v1/admin/roles': ['permission_exceeds_own', 'creation_deleted', 'role_name_taken'],
  'PUT /api/v1/admin/roles/{id}': [
    'permission_exceeds_own',
    'own_rate_limit',
    'concurrent_change',
    'role_is_system',
    'role_name_taken',
  ],
  'DELETE /api/v1/admin/roles/{id}': ['permission_exceeds_own', 'concurrent_change', 'role_in_use', 'role_is_system'],
};
