import { notImplemented, type Route, server } from '../../declaration/route.js';

const subusers = '/api/v1/servers/{id}/subusers';
const subuser = `${subusers}/{subuser-id}`;

export const subuserRoutes: readonly Route[] = [
  notImplemented('GET', subusers, 'People with access', server('user.read')),
  notImplemented('POST', subusers, 'Invite somebody', server('user.create')),
  notImplemented('PUT', subuser, 'Change what somebody may do', server('user.update')),
  notImplemented('DELETE', subuser, 'Take access away', server('user.delete')),
];
