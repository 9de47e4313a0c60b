import type { Schema } from './route-table.js';

/** Values of a wrong type for any text field. */
export const nonStringValues: readonly unknown[] = [
  { $gt: '' },
  { $ne: null },
  { $regex: '.*' },
  { $where: 'sleep(5000)' },
  { a: { b: { c: 1 } } },
  ['a'],
  [{ $gt: '' }],
  17,
  1e308,
  true,
];

/** Values of a wrong type for numbers, lists and flags. */
export const nonScalarValues: readonly unknown[] = [
  { $gt: '' },
  { $ne: null },
  'text',
  [{ $gt: '' }],
  [[['a']]],
  { length: 1 },
];

/** Text special to databases, templates, shells, logs or parsers. */
export const maliciousTexts: readonly string[] = [
  '{"$gt":""}',
  '$where',
  '$set.passwordHash',
  'role.permissions',
  '__proto__',
  'constructor',
  "'; return true; //",
  "' OR 1=1 --",
  '{{7*7}}${7*7}<%= 7*7 %>',
  '${jndi:ldap://127.0.0.1:9/a}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'a\0b',
  'line\r\nX-Evil: 1',
  '\u001b[31mred',
  '\u202egnp.exe',
  'A\ud800',
  '\udc00B',
  'x'.repeat(100_000),
];

/** Members of no body, as JSON text because some have no object literal. */
export const extraMembers: readonly string[] = [
  '"__proto__":{"isAdmin":true}',
  '"constructor":{"prototype":{"role":"admin"}}',
  '"prototype":{"role":"admin"}',
  '"\\u005f_proto__":{"isAdmin":true}',
  '"$set":{"roleId":"00000000-0000-4000-8000-000000000003"}',
  '"$where":"sleep(5000)"',
  '"$or":[{}]',
  '"role.permissions":["*"]',
  '"twoFactor.secret":null',
  '"":1',
];

/** Members for privilege escalation (property-level authorisation: OWASP API3). */
export const privilegedMembers: Readonly<Record<string, unknown>> = {
  id: '00000000-0000-4000-8000-00000000beef',
  _id: '00000000-0000-4000-8000-00000000beef',
  user_id: '00000000-0000-4000-8000-00000000beef',
  role: 'admin',
  roleId: '00000000-0000-4000-8000-000000000003',
  role_name: 'admin',
  is_admin: true,
  isAdmin: true,
  root_admin: true,
  admin_token: 'x',
  adminToken: 'x',
  is_bootstrap: true,
  isSystem: true,
  system: true,
  password_hash: '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA',
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA',
  email_verified: true,
  two_factor_enabled: false,
  twoFactor: null,
  session_epoch: 0,
  sessionEpoch: 0,
  created_at: '2000-01-01T00:00:00.000Z',
  createdAt: '2000-01-01T00:00:00.000Z',
  updated_at: '2000-01-01T00:00:00.000Z',
  last_used_at: '2000-01-01T00:00:00.000Z',
  hash: 'a'.repeat(64),
  key: `gsp_${'a'.repeat(43)}`,
  slot: 26,
  identifier: 'gsp_aaaaaaaa',
  credits: 1_000_000,
  users_count: 0,
  rateLimitMultiplier: 100,
};

export function isText({ type, anyOf }: Schema): boolean {
  return type === 'string' || (anyOf ?? []).some((each) => each.type === 'string');
}

export function isNullable({ type, anyOf }: Schema): boolean {
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || (anyOf ?? []).some(isNullable);
}
