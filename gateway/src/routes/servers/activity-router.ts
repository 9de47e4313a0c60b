import { ActivityServiceService } from '@panel/protos/admin';
import { grants } from '@panel/rpc';
import { getAccessibleServer, serverPermissionsOf } from '../../auth/server-access.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { list, route, type Route, server as access } from '../../declaration/route.js';
import { readActorNames } from '../activity/actor-names.js';
import { activityEvent, presentActivity } from '../activity/resource.js';

const path = '/api/v1/servers/{id}';

export const serverActivityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}/activity`,
    summary: 'What was done with the server, newest first',
    access: access(ActivityServiceService.listActivity),
    rate: 'general',
    query: listQuery('created_at'),
    response: list(activityEvent.schema),
    handler: async ({ params, query, caller, services, rpc, asGateway }) => {
      await getAccessibleServer(services, params.id, serverPermissionsOf(ActivityServiceService.listActivity), rpc);
      // Access is checked above: the admin service cannot.
      const request = { page: pageRequest(query), userId: '', serverId: params.id };
      const { events, page } = await services.activity.listActivity(request, asGateway);
      const mayKnowAll = grants(caller?.identity.permissions ?? [], 'settings.view');
      const isShown = (actorId: string) => mayKnowAll || actorId === caller?.identity.userId;
      const names = await readActorNames(services, events, asGateway);
      return { items: events.map((event) => presentActivity(event, names, isShown(event.actorId))), page };
    },
  }),
];
