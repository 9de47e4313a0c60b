/** Area and verb, and property names, with `?` if optional. Shown to users: no secrets. */
export const activityEvents = {
  'auth:success': [],
  'auth:fail': [],
  'auth:checkpoint-fail': [],
  'auth:recovery-code': [],
  'auth:ip-blocked': ['identifier'],
  'auth:token-reuse': [],
  'auth:password-reset-request': [],
  'auth:password-reset': [],
  'auth:sftp-success': [],
  'auth:sftp-fail': [],

  'user:create': ['email'],
  'user:update': ['fields'],
  'user:delete': ['email'],
  'user:account.email-changed': ['old', 'new'],
  'user:account.username-changed': ['old', 'new'],
  'user:account.password-changed': [],
  'user:api-key.create': ['identifier'],
  'user:api-key.delete': ['api_key_id'],
  'user:ssh-key.create': ['name', 'fingerprint'],
  'user:ssh-key.delete': ['name', 'fingerprint'],
  'user:session.revoke': [],
  'user:sessions.revoke': [],
  'user:two-factor.create': [],
  'user:two-factor.delete': [],

  'role:create': ['name'],
  'role:update': ['name'],
  'role:delete': ['name'],

  'settings:update': ['settings'],

  'nest:create': ['id', 'name'],
  'nest:update': ['id', 'name'],
  'nest:delete': ['id'],
  'egg:create': ['id', 'name'],
  'egg:update': ['id', 'name'],
  'egg:import': ['id', 'name'],
  'egg:delete': ['id'],
  'egg:apply': ['id', 'servers'],
  'node:create': ['id', 'name'],
  'node:update': ['id', 'name'],
  'node:delete': ['id'],
  'node:files.accept': ['id'],
  'node:volume.delete': ['id', 'server_id'],
  'allocation:create': ['node_id', 'ip', 'ports'],
  'allocation:delete': ['id', 'node_id'],
  'database-host:create': ['id', 'name'],
  'database-host:update': ['id', 'name'],
  'database-host:delete': ['id', 'databases?'],
  'registry:create': ['id', 'host'],
  'registry:update': ['id', 'host'],
  'registry:delete': ['id'],

  'server:create': ['name'],
  'server:update': [],
  'server:delete': [],
  'server:deletion.cancel': [],
  'server:suspend': [],
  'server:unsuspend': [],
  'server:reinstall': [],
  'server:install.completed': [],
  'server:install.failed': ['error'],
  'server:transfer.start': ['node_id'],
  'server:transfer.cancel': [],
  'server:transfer.completed': ['node_id'],
  'server:transfer.failed': ['error'],
  'server:reference.missing': ['reference', 'id'],
  'server:settings.rename': [],
  'server:startup.update': ['variables', 'docker_image?', 'startup_command?'],
  'server:feature.resolve': ['feature', 'docker_image?'],
  'server:allocation.create': [],
  'server:allocation.update': [],
  'server:allocation.delete': [],
  'server:power.start': [],
  'server:power.stop': [],
  'server:power.restart': [],
  'server:power.kill': [],
  'server:console.command': ['command'],
  'server:start.failed': ['error'],
  'server:crashed': ['how'],
  'server:backup.start': ['backup_id', 'name'],
  'server:backup.complete': ['backup_id', 'name'],
  'server:backup.fail': ['backup_id', 'name', 'error'],
  'server:backup.delete': ['backup_id'],
  'server:backup.lock': ['backup_id'],
  'server:backup.unlock': ['backup_id'],
  'server:backup.download': ['backup_id'],
  'server:backup.restore': ['backup_id'],
  'server:backup.restore-complete': ['backup_id'],
  'server:backup.restore-fail': ['backup_id', 'error'],
  'server:schedule.create': ['schedule_id', 'name'],
  'server:schedule.update': ['schedule_id', 'name'],
  'server:schedule.delete': ['schedule_id'],
  'server:schedule.execute': ['schedule_id', 'name'],
  'server:schedule.cancel': ['schedule_id', 'name'],
  'server:schedule.webhook-rotate': ['schedule_id', 'name'],
  'server:schedule.fail': ['schedule_id', 'name', 'error'],
  'server:subuser.create': ['id', 'email', 'role?', 'permissions?'],
  'server:subuser.update': ['id', 'email', 'role?', 'permissions?'],
  'server:subuser.delete': ['id', 'removed_invited?', 'left_invited?', 'left_schedules?'],
  'server:subuser.leave': [],
  'server:subuser-role.create': ['id', 'name', 'permissions'],
  'server:subuser-role.update': ['id', 'name', 'permissions'],
  'server:subuser-role.delete': ['id'],
  'server:database.create': ['id', 'name'],
  'server:database.delete': ['id'],
  'server:database.lost': ['id', 'name'],
  'server:database.rotate-password': ['id'],
  'server:database.export': ['id'],
  'server:database.import': ['id'],
  'server:sftp.create': ['count', 'files'],
  'server:sftp.write': ['count', 'files'],
  'server:sftp.create-directory': ['count', 'files'],
  'server:sftp.rename': ['count', 'files'],
  'server:sftp.delete': ['count', 'files'],

  'billing:order.create': ['order', 'total'],
  'billing:order.cancel': ['order', 'total'],
  'billing:invoice.pay': ['invoice', 'total'],
  'billing:invoice.refund': ['invoice', 'total'],
  'billing:invoice.update': ['invoice', 'total'],
  'billing:statement.import': ['count', 'booked'],
  'billing:credits.buy': ['invoice', 'total'],
  'billing:credits.grant': ['amount', 'reason'],
  'billing:service.cancel': ['service', 'product', 'plan'],
  'billing:service.resume': ['service', 'product', 'plan'],
  'billing:service.change-plan': ['service', 'product', 'plan'],
  'billing:service.retry': ['service', 'product', 'plan'],
  'billing:service.update': ['service', 'product', 'plan'],
  'billing:product.create': ['id', 'name'],
  'billing:product.update': ['id', 'name'],
  'billing:product.delete': ['id'],
  'billing:coupon.create': ['id', 'code'],
  'billing:coupon.update': ['id', 'code'],
  'billing:coupon.delete': ['id'],
  'billing:gift-code.create': ['id', 'count', 'amount'],
  'billing:gift-code.delete': ['id'],
  'billing:gift-code.redeem': ['id', 'amount'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type ActivityEventName = keyof typeof activityEvents;

type Listed<N extends ActivityEventName> = (typeof activityEvents)[N][number];
type WithoutMark<P extends string> = P extends `${infer Name}?` ? Name : never;

type ActivityProperties<N extends ActivityEventName> = {
  readonly [P in Exclude<Listed<N>, `${string}?`>]: string;
} & { readonly [P in WithoutMark<Listed<N>>]?: string | undefined };

interface ActivitySubject {
  /** In whose list it appears; empty or absent: none. */
  readonly userId?: string;
  /** Empty or absent: no server. */
  readonly serverId?: string;
  /** At sign-in, where the call's actor is unknown. */
  readonly actorId?: string;
}

interface PlainEvent<N extends ActivityEventName> extends ActivitySubject {
  readonly event: N;
  readonly properties?: undefined;
}

interface EventWithFacts<N extends ActivityEventName> extends ActivitySubject {
  readonly event: N;
  readonly properties: ActivityProperties<N>;
}

export type ActivityEvent = {
  [N in ActivityEventName]: [Listed<N>] extends [never] ? PlainEvent<N> : EventWithFacts<N>;
}[ActivityEventName];

/** `EventsWith<'id' | 'name'>` have exactly these properties, `EventsWith<never>` none. */
export type EventsWith<P extends string> = {
  [N in ActivityEventName]: [P, Listed<N>] extends [Listed<N>, P] ? N : never;
}[ActivityEventName];
