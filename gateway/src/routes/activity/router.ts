import { ActivityServiceService } from '@panel/protos/admin';
import { z } from 'zod';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, list, route, type Route } from '../../declaration/route.js';
import { readActorNames } from './actor-names.js';
import { activityEvent, presentActivity } from './resource.js';

const id = z.uuid('must be a UUID').optional();

export const activityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/admin/activity',
    summary: 'What everybody did, newest first',
    access: admin(ActivityServiceService.listActivity),
    rate: 'general',
    query: listQuery('created_at').extend({
      user_id: id.describe('only what this user did, or what is about this user'),
      server_id: id.describe('only what is about this server'),
    }),
    response: list(activityEvent.schema),
    handler: async ({ query, services, rpc, asGateway }) => {
      const request = { page: pageRequest(query), userId: query.user_id ?? '', serverId: query.server_id ?? '' };
      const { events, page } = await services.activity.listActivity(request, rpc);
      const names = await readActorNames(services, events, asGateway);
      return { items: events.map((event) => presentActivity(event, names)), page };
    },
  }),
];
