import { fileURLToPath } from 'node:url';

/** Directory that holds the `panel/...` proto sources: for reflection, contract tests and operator scripts. */
export const protoRoot = fileURLToPath(new URL('../../', import.meta.url));

export type Domain = 'common' | 'identity' | 'servers' | 'files' | 'billing' | 'admin';

/** The proto files of one domain, relative to `protoRoot`. */
export const protoFiles: Record<Domain, readonly string[]> = {
  common: ['panel/common/v1/multiplex.proto'],
  identity: [
    'panel/identity/v1/auth.proto',
    'panel/identity/v1/account.proto',
    'panel/identity/v1/user.proto',
    'panel/identity/v1/role.proto',
    'panel/identity/v1/credential.proto',
  ],
  servers: [
    'panel/servers/v1/server.proto',
    'panel/servers/v1/node.proto',
    'panel/servers/v1/allocation.proto',
    'panel/servers/v1/egg.proto',
    'panel/servers/v1/ownership.proto',
    'panel/servers/v1/schedule.proto',
    'panel/servers/v1/subuser.proto',
    'panel/servers/v1/database.proto',
    'panel/servers/v1/usage.proto',
    'panel/servers/v1/backup.proto',
  ],
  files: ['panel/files/v1/file.proto', 'panel/files/v1/backup.proto'],
  billing: [
    'panel/billing/v1/product.proto',
    'panel/billing/v1/cart.proto',
    'panel/billing/v1/order.proto',
    'panel/billing/v1/invoice.proto',
    'panel/billing/v1/service.proto',
    'panel/billing/v1/credit.proto',
    'panel/billing/v1/coupon.proto',
    'panel/billing/v1/profile.proto',
    'panel/billing/v1/payment.proto',
    'panel/billing/v1/report.proto',
  ],
  admin: ['panel/admin/v1/settings.proto', 'panel/admin/v1/mail.proto', 'panel/admin/v1/activity.proto'],
};
