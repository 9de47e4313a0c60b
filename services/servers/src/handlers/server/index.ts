import { withActivity } from '@panel/activity';
import { ServerServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import {
  featureEvent,
  serverCreatedEvent,
  serverEvent,
  startupUpdatedEvent,
  transferStartedEvent,
} from '../../present/activity-events.js';
import { handleAddServerAllocation } from './add-server-allocation.js';
import { handleCancelDeletion } from './cancel-deletion.js';
import { handleCancelTransfer } from './cancel-transfer.js';
import { handleCreateServer } from './create-server.js';
import { handleDeleteServer } from './delete-server.js';
import { handleGetInstallLog } from './get-install-log.js';
import { handleGetOperation } from './get-operation.js';
import { handleGetServer } from './get-server.js';
import { handleGetStartup } from './get-startup.js';
import { handleGrantFileAccess } from './grant-file-access.js';
import { handleGrantSftpAccess } from './grant-sftp-access.js';
import { handleListServerAllocations } from './list-server-allocations.js';
import { handleListServers } from './list-servers.js';
import { handleReinstallServer } from './reinstall-server.js';
import { handleRemoveServerAllocation } from './remove-server-allocation.js';
import { handleRenameServer } from './rename-server.js';
import { handleResolveFeature } from './resolve-feature.js';
import { handleSuspendServer } from './suspend-server.js';
import { handleTransferServer } from './transfer-server.js';
import { handleUnsuspendServer } from './unsuspend-server.js';
import { handleUpdateServer } from './update-server.js';
import { handleUpdateServerAllocation } from './update-server-allocation.js';
import { handleUpdateStartup } from './update-startup.js';

export function serveServers(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(ServerServiceService, {
    addServerAllocation: withActivity(
      activity,
      handleAddServerAllocation(context),
      serverEvent('server:allocation.create'),
    ),
    cancelDeletion: withActivity(activity, handleCancelDeletion(context), serverEvent('server:deletion.cancel')),
    cancelTransfer: withActivity(activity, handleCancelTransfer(context), serverEvent('server:transfer.cancel')),
    createServer: withActivity(activity, handleCreateServer(context), serverCreatedEvent),
    deleteServer: withActivity(activity, handleDeleteServer(context), serverEvent('server:delete')),
    getInstallLog: handleGetInstallLog(context),
    getOperation: handleGetOperation(context),
    getServer: handleGetServer(context),
    getStartup: handleGetStartup(context),
    grantFileAccess: handleGrantFileAccess(context),
    grantSftpAccess: handleGrantSftpAccess(context),
    listServerAllocations: handleListServerAllocations(context),
    listServers: handleListServers(context),
    reinstallServer: withActivity(activity, handleReinstallServer(context), serverEvent('server:reinstall')),
    removeServerAllocation: withActivity(
      activity,
      handleRemoveServerAllocation(context),
      serverEvent('server:allocation.delete'),
    ),
    renameServer: withActivity(activity, handleRenameServer(context), serverEvent('server:settings.rename')),
    resolveFeature: withActivity(activity, handleResolveFeature(context), featureEvent),
    suspendServer: withActivity(activity, handleSuspendServer(context), serverEvent('server:suspend')),
    transferServer: withActivity(activity, handleTransferServer(context), transferStartedEvent),
    unsuspendServer: withActivity(activity, handleUnsuspendServer(context), serverEvent('server:unsuspend')),
    updateServer: withActivity(activity, handleUpdateServer(context), serverEvent('server:update')),
    updateServerAllocation: withActivity(
      activity,
      handleUpdateServerAllocation(context),
      serverEvent('server:allocation.update'),
    ),
    updateStartup: withActivity(activity, handleUpdateStartup(context), startupUpdatedEvent),
  });
}
