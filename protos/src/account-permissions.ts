/**
 * What users may do with their own account. A user who is signed in has all of these; an API key with a list of
 * permissions has those on its list. docs/rest-api.md says what each allows.
 */
export const accountPermissions = [
  'account.read',
  'account.update',
  'account.password',
  'account.two-factor',
  'account.api-keys',
  'account.sessions',
  'account.ssh-keys',
  'account.activity',
  'account.billing',
] as const;

export type AccountPermission = (typeof accountPermissions)[number];
