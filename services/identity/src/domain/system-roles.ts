/** Equal id in every installation, for seeds and scripts. */
export interface SystemRole {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly rateLimitMultiplier: number;
}

export const userRole: SystemRole = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'user',
  description: 'Uses the panel as a customer.',
  permissions: [],
  rateLimitMultiplier: 1,
};

export const moderatorRole: SystemRole = {
  id: '00000000-0000-4000-8000-000000000002',
  name: 'moderator',
  description: 'Looks after customers: sees servers, users, nodes and billing, suspends servers.',
  permissions: ['billing.view', 'nodes.view', 'servers.suspend', 'servers.view', 'users.view'],
  rateLimitMultiplier: 1.5,
};

export const adminRole: SystemRole = {
  id: '00000000-0000-4000-8000-000000000003',
  name: 'admin',
  description: 'May do everything.',
  permissions: ['*'],
  rateLimitMultiplier: 2,
};

export const systemRoles: readonly SystemRole[] = [userRole, moderatorRole, adminRole];
