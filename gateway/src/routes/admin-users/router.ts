import { admin, planned, type Route } from '../route.js';

const users = '/api/v1/admin/users';

export const adminUserRoutes: readonly Route[] = [
  planned('GET', users, 'All users', admin('users.view')),
  planned('POST', users, 'Create a user', admin('users.create')),
  planned('GET', `${users}/{id}`, 'One user', admin('users.view')),
  planned('PUT', `${users}/{id}`, 'Change a user', admin('users.update')),
  planned('DELETE', `${users}/{id}`, 'Delete a user', admin('users.delete')),
];
