import { withActivity } from '@panel/activity';
import { NestServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { nestDeletedEvent, nestEvent } from '../../present/activity-events.js';
import { handleCreateNest } from './create-nest.js';
import { handleDeleteNest } from './delete-nest.js';
import { handleGetNest } from './get-nest.js';
import { handleListNests } from './list-nests.js';
import { handleUpdateNest } from './update-nest.js';

export function serveNests(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(NestServiceService, {
    createNest: withActivity(activity, handleCreateNest(context), nestEvent('nest:create')),
    deleteNest: withActivity(activity, handleDeleteNest(context), nestDeletedEvent),
    getNest: handleGetNest(context),
    listNests: handleListNests(context),
    updateNest: withActivity(activity, handleUpdateNest(context), nestEvent('nest:update')),
  });
}
