import { serve, type ServedService } from '@panel/kit';
import {
  AllocationServiceService,
  ConsoleServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  OwnershipServiceService,
  ServerServiceService,
} from '@panel/protos/servers';
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
import { importEgg } from './import-egg.js';
import { listAllocations } from './list-allocations.js';
import { listEggs } from './list-eggs.js';
import { listNests } from './list-nests.js';
import { listNodes } from './list-nodes.js';
import { listServers } from './list-servers.js';
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
  return [
    serve(NestServiceService, {
      listNests: listNests(context),
      getNest: getNest(context),
      createNest: createNest(context),
    }),
    serve(EggServiceService, {
      listEggs: listEggs(context),
      getEgg: getEgg(context),
      createEgg: createEgg(context),
      updateEgg: updateEgg(context),
      importEgg: importEgg(context),
      exportEgg: exportEgg(context),
    }),
    serve(NodeServiceService, {
      listNodes: listNodes(context),
      getNode: getNode(context),
      createNode: createNode(context),
      updateNode: updateNode(context),
      deleteNode: deleteNode(context),
    }),
    serve(AllocationServiceService, {
      listAllocations: listAllocations(context),
      createAllocations: createAllocations(context),
      deleteAllocation: deleteAllocation(context),
    }),
    serve(ServerServiceService, {
      listServers: listServers(context),
      getServer: getServer(context),
      createServer: createServer(context),
      grantFileAccess: grantFileAccess(context),
      updateServer: updateServer(context),
      deleteServer: deleteServer(context),
      suspendServer: suspendServer(context),
      unsuspendServer: unsuspendServer(context),
      reinstallServer: reinstallServer(context),
      transferServer: transferServer(context),
      cancelTransfer: cancelTransfer(context),
      renameServer: renameServer(context),
      updateStartup: updateStartup(context),
      addServerAllocation: addServerAllocation(context),
      updateServerAllocation: updateServerAllocation(context),
      removeServerAllocation: removeServerAllocation(context),
      getInstallLog: getInstallLog(context),
    }),
    serve(ConsoleServiceService, {
      sendPowerAction: sendPowerAction(context),
      sendCommand: sendCommand(context),
      getResources: getResources(context),
      batchGetResources: batchGetResources(context),
      watchServer: watchServer(context),
    }),
    serve(OwnershipServiceService, { countOwnedServers: countOwnedServers(context) }),
  ];
}
