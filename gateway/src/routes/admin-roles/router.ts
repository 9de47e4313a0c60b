import { admin, planned, type Route } from '../route.js';

const roles = '/api/v1/admin/roles';

export const adminRoleRoutes: readonly Route[] = [
  planned('GET', roles, 'All roles', admin('roles.view')),
  planned('POST', roles, 'Create a role', admin('roles.create')),
  planned('PUT', `${roles}/{id}`, 'Change a role', admin('roles.update')),
  planned('DELETE', `${roles}/{id}`, 'Delete a role nobody has', admin('roles.delete')),
];
