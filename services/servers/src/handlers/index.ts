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
import type { Happening } from '../activity.js';
import type { ServersContext } from '../context.js';
import { addServerAllocation } from './add-server-allocation.js';
import { batchGetResources } from './batch-get-resources.js';
import { cancelTransfer } from './cancel-transfer.js';
import { countOwnedServers } from './count-owned-servers.js';
import { createAllocations } from './create-allocations.js';
import { createEgg } from './create-egg.js';
import { createNest } from './create-nest.js';
import { createNode } from './create-node.js';
import { createServer } from './create-server.js';
import { deleteAllocation } from './delete-allocation.js';
import { deleteNode } from './delete-node.js';
import { deleteServer } from './delete-server.js';
import { exportEgg } from './export-egg.js';
import { getEgg } from './get-egg.js';
import { getInstallLog } from './get-install-log.js';
import { getNest } from './get-nest.js';
import { getNode } from './get-node.js';
import { getResources } from './get-resources.js';
import { getServer } from './get-server.js';
import { grantFileAccess } from './grant-file-access.js';
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
} from './happenings.js';
import { importEgg } from './import-egg.js';
import { listAllocations } from './list-allocations.js';
import { listEggs } from './list-eggs.js';
import { listNests } from './list-nests.js';
import { listNodes } from './list-nodes.js';
import { listServers } from './list-servers.js';
import { recorded } from './recorded.js';
import { reinstallServer } from './reinstall-server.js';
import { removeServerAllocation } from './remove-server-allocation.js';
import { renameServer } from './rename-server.js';
import { sendCommand } from './send-command.js';
import { sendPowerAction } from './send-power-action.js';
import { suspendServer } from './suspend-server.js';
import { transferServer } from './transfer-server.js';
import { unsuspendServer } from './unsuspend-server.js';
import { updateEgg } from './update-egg.js';
import { updateNode } from './update-node.js';
import { updateServerAllocation } from './update-server-allocation.js';
import { updateServer } from './update-server.js';
import { updateStartup } from './update-startup.js';
import { watchServer } from './watch-server.js';

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
