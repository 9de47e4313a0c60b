import { notImplemented, type Route, reservedFor } from '../../declaration/route.js';

const subusers = '/api/v1/servers/{id}/subusers';
const subuser = `${subusers}/{subuser-id}`;

export const subuserRoutes: readonly Route[] = [
  notImplemented('GET', subusers, 'People with access', reservedFor('user.read')),
  notImplemented('POST', subusers, 'Invite somebody', reservedFor('user.create')),
  notImplemented('PUT', subuser, 'Change what somebody may do', reservedFor('user.update')),
  notImplemented('DELETE', subuser, 'Take access away', reservedFor('user.delete')),
];
