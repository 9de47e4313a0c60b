import { planned, type Route, server } from '../route.js';

const subusers = '/api/v1/servers/{id}/subusers';
const subuser = `${subusers}/{subuser-id}`;

export const subuserRoutes: readonly Route[] = [
  planned('GET', subusers, 'People with access', server('user.read')),
  planned('POST', subusers, 'Invite somebody', server('user.create')),
  planned('PUT', subuser, 'Change what somebody may do', server('user.update')),
  planned('DELETE', subuser, 'Take access away', server('user.delete')),
];
