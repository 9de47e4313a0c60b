import { withActivity } from '@panel/activity';
import { SubuserServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import {
  serverEvent,
  subuserDeletedEvent,
  subuserEvent,
  subuserRoleDeletedEvent,
  subuserRoleEvent,
} from '../../present/activity-events.js';
import { handleCreateSubuser } from './create-subuser.js';
import { handleCreateSubuserRole } from './create-subuser-role.js';
import { handleDeleteSubuser } from './delete-subuser.js';
import { handleDeleteSubuserRole } from './delete-subuser-role.js';
import { handleLeaveServer } from './leave-server.js';
import { handleListSubuserRoles } from './list-subuser-roles.js';
import { handleListSubusers } from './list-subusers.js';
import { handleUpdateSubuser } from './update-subuser.js';
import { handleUpdateSubuserRole } from './update-subuser-role.js';

export function serveSubusers(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(SubuserServiceService, {
    createSubuser: withActivity(activity, handleCreateSubuser(context), subuserEvent('server:subuser.create')),
    createSubuserRole: withActivity(
      activity,
      handleCreateSubuserRole(context),
      subuserRoleEvent('server:subuser-role.create'),
    ),
    deleteSubuser: withActivity(activity, handleDeleteSubuser(context), subuserDeletedEvent),
    deleteSubuserRole: withActivity(activity, handleDeleteSubuserRole(context), subuserRoleDeletedEvent),
    leaveServer: withActivity(activity, handleLeaveServer(context), serverEvent('server:subuser.leave')),
    listSubuserRoles: handleListSubuserRoles(context),
    listSubusers: handleListSubusers(context),
    updateSubuser: withActivity(activity, handleUpdateSubuser(context), subuserEvent('server:subuser.update')),
    updateSubuserRole: withActivity(
      activity,
      handleUpdateSubuserRole(context),
      subuserRoleEvent('server:subuser-role.update'),
    ),
  });
}
