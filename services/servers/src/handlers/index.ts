import { type CallContext, serve, type ServedService } from '@panel/rpc';
import {
  AllocationServiceService,
  ConsoleServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  OwnershipServiceService,
  ServerServiceService,
} from '@panel/protos/servers';
import type { Happening } from '../usecases/activity-log.js';
import type { ServersContext } from '../context.js';
import { addServerAllocation } from './server/add-server-allocation.js';
import { batchGetResources } from './console/batch-get-resources.js';
import { cancelTransfer } from './server/cancel-transfer.js';
import { countOwnedServers } from './ownership/count-owned-servers.js';
import { createAllocations } from './allocation/create-allocations.js';
import { createEgg } from './egg/create-egg.js';
import { createNest } from './nest/create-nest.js';
import { createNode } from './node/create-node.js';
import { createServer } from './server/create-server.js';
import { deleteAllocation } from './allocation/delete-allocation.js';
import { deleteNode } from './node/delete-node.js';
import { deleteServer } from './server/delete-server.js';
import { exportEgg } from './egg/export-egg.js';
import { getEgg } from './egg/get-egg.js';
import { getInstallLog } from './server/get-install-log.js';
import { getNest } from './nest/get-nest.js';
import { getNode } from './node/get-node.js';
import { getResources } from './console/get-resources.js';
import { getServer } from './server/get-server.js';
import { grantFileAccess } from './server/grant-file-access.js';
import {
  about,
  allocationDeleted,
  allocationsMade,
  commanded,
  eggTold,
  nestTold,
  nodeDeleted,
  nodeTold,
  powered,
  serverCreated,
  startupChanged,
  transferBegun,
} from '../present/activity-events.js';
import { importEgg } from './egg/import-egg.js';
import { listAllocations } from './allocation/list-allocations.js';
import { listEggs } from './egg/list-eggs.js';
import { listNests } from './nest/list-nests.js';
import { listNodes } from './node/list-nodes.js';
import { listServers } from './server/list-servers.js';
import { recorded } from './with-activity.js';
import { reinstallServer } from './server/reinstall-server.js';
import { removeServerAllocation } from './server/remove-server-allocation.js';
import { renameServer } from './server/rename-server.js';
import { sendCommand } from './console/send-command.js';
import { sendPowerAction } from './console/send-power-action.js';
import { suspendServer } from './server/suspend-server.js';
import { transferServer } from './server/transfer-server.js';
import { unsuspendServer } from './server/unsuspend-server.js';
import { updateEgg } from './egg/update-egg.js';
import { updateNode } from './node/update-node.js';
import { updateServerAllocation } from './server/update-server-allocation.js';
import { updateServer } from './server/update-server.js';
import { updateStartup } from './server/update-startup.js';
import { watchServer } from './console/watch-server.js';

/** Everything this service answers. */
export function createHandlers(context: ServersContext): ServedService[] {
  const note = <Request, Response>(
    work: (request: Request, call: CallContext) => Promise<Response>,
    tell: (request: Request, response: Response) => Happening,
  ) => recorded(context.activity, work, tell);
  return [
    serve(NestServiceService, {
      listNests: listNests(context),
      getNest: getNest(context),
      createNest: note(createNest(context), nestTold('nest:create')),
    }),
    serve(EggServiceService, {
      listEggs: listEggs(context),
      getEgg: getEgg(context),
      createEgg: note(createEgg(context), eggTold('egg:create')),
      updateEgg: note(updateEgg(context), eggTold('egg:update')),
      importEgg: note(importEgg(context), eggTold('egg:import')),
      exportEgg: exportEgg(context),
    }),
    serve(NodeServiceService, {
      listNodes: listNodes(context),
      getNode: getNode(context),
      createNode: note(createNode(context), nodeTold('node:create')),
      updateNode: note(updateNode(context), nodeTold('node:update')),
      deleteNode: note(deleteNode(context), nodeDeleted),
    }),
    serve(AllocationServiceService, {
      listAllocations: listAllocations(context),
      createAllocations: note(createAllocations(context), allocationsMade),
      deleteAllocation: note(deleteAllocation(context), allocationDeleted),
    }),
    serve(ServerServiceService, {
      listServers: listServers(context),
      getServer: getServer(context),
      createServer: note(createServer(context), serverCreated),
      grantFileAccess: grantFileAccess(context),
      updateServer: note(updateServer(context), about('server:update')),
      deleteServer: note(deleteServer(context), about('server:delete')),
      suspendServer: note(suspendServer(context), about('server:suspend')),
      unsuspendServer: note(unsuspendServer(context), about('server:unsuspend')),
      reinstallServer: note(reinstallServer(context), about('server:reinstall')),
      transferServer: note(transferServer(context), transferBegun),
      cancelTransfer: note(cancelTransfer(context), about('server:transfer.cancel')),
      renameServer: note(renameServer(context), about('server:settings.rename')),
      updateStartup: note(updateStartup(context), startupChanged),
      addServerAllocation: note(addServerAllocation(context), about('server:allocation.create')),
      updateServerAllocation: note(updateServerAllocation(context), about('server:allocation.update')),
      removeServerAllocation: note(removeServerAllocation(context), about('server:allocation.delete')),
      getInstallLog: getInstallLog(context),
    }),
    serve(ConsoleServiceService, {
      sendPowerAction: note(sendPowerAction(context), powered),
      sendCommand: note(sendCommand(context), commanded),
      getResources: getResources(context),
      batchGetResources: batchGetResources(context),
      watchServer: watchServer(context),
    }),
    serve(OwnershipServiceService, { countOwnedServers: countOwnedServers(context) }),
  ];
}
