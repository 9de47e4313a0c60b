import { type FieldMessages, requireValid } from '@panel/kit/errors';
import { parsePage } from '@panel/kit/mongo';
import { ActivityEvent, type ActivityServiceService, type ListActivityRequest } from '@panel/protos/admin';
import { type Caller, type Handler, presentEach, requireStaff } from '@panel/rpc';
import { z } from 'zod';
import type { AdminContext } from '../../context.js';
import type { ActivityFilter } from '../../domain/activity.js';
import { presentActivity } from '../../present/activity.js';
import { listActivity } from '../../usecases/activity/list-activity.js';

/** Newest first. */
export function handleListActivity(context: AdminContext): Handler<ActivityServiceService['listActivity']> {
  return async (request, call) => {
    requireReader(call, request);
    const sort = request.page?.sort.length ? request.page.sort : ['-created_at'];
    const page = parsePage({ page: 0, perPage: 0, search: '', ...request.page, sort }, { created_at: 'time' });
    const { events, total } = await listActivity(context, call, readFilter(request), page);
    return {
      events: presentEach(call, events, presentActivity, ActivityEvent),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}

/** Users read their own events; the rest is for staff. */
function requireReader(call: Caller, { userId }: ListActivityRequest): void {
  if (call.actor.kind === 'user' && userId === call.actor.userId) return;
  requireStaff(call);
}

function readFilter(request: ListActivityRequest): ActivityFilter {
  const problems: FieldMessages = {};
  const idOf = (name: string, text: string) => {
    if (text !== '' && !z.uuid().safeParse(text).success) problems[name] = ['must be a UUID'];
    return text === '' ? null : text;
  };
  const filter = { userId: idOf('user_id', request.userId), serverId: idOf('server_id', request.serverId) };
  requireValid(problems);
  return filter;
}
