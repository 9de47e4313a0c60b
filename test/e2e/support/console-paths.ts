interface ConsoleIds {
  readonly serverId: string;
  readonly scheduleId: string;
  readonly nodeId: string;
  readonly eggId: string;
}

export function consolePaths({ serverId, scheduleId, nodeId, eggId }: ConsoleIds): readonly string[] {
  return [
    '/',
    `/wall?servers=${serverId}`,
    `/servers/${serverId}`,
    `/servers/${serverId}?range=day`,
    `/servers/${serverId}/files`,
    `/servers/${serverId}/backups`,
    `/servers/${serverId}/databases`,
    `/servers/${serverId}/schedules`,
    `/servers/${serverId}/schedules/new`,
    `/servers/${serverId}/schedules/${scheduleId}`,
    `/servers/${serverId}/people`,
    `/servers/${serverId}/network`,
    `/servers/${serverId}/startup`,
    `/servers/${serverId}/settings`,
    `/servers/${serverId}/activity`,
    '/account',
    '/account/security',
    '/account/sessions',
    '/account/api-keys',
    '/account/ssh-keys',
    '/account/activity',
    '/store',
    '/billing',
    '/billing/services',
    '/billing/orders',
    '/billing/credits',
    '/billing/profile',
    '/staff',
    '/staff/servers',
    '/staff/nodes',
    `/staff/nodes/${nodeId}`,
    `/staff/nodes/${nodeId}/report`,
    '/staff/users',
    '/staff/eggs',
    `/staff/eggs/${eggId}`,
    '/staff/database-hosts',
    '/staff/registries',
    '/staff/billing',
    ...['invoices', 'services', 'coupons', 'gift-codes', 'accounting', 'reports'].map((tab) => `/staff/billing/${tab}`),
    '/staff/billing/accounting?report=receivables',
    '/staff/roles',
    '/staff/settings',
    '/staff/activity',
  ];
}
