import { withActivity } from '@panel/activity';
import { NodeServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import {
  nodeDeletedEvent,
  nodeEvent,
  nodeFilesAcceptedEvent,
  nodeVolumeDeletedEvent,
} from '../../present/activity-events.js';
import { handleAcceptNodeFiles } from './accept-node-files.js';
import { handleCreateNode } from './create-node.js';
import { handleDeleteNode } from './delete-node.js';
import { handleDeleteNodeVolume } from './delete-node-volume.js';
import { handleGetNode } from './get-node.js';
import { handleGetNodeMetrics } from './get-node-metrics.js';
import { handleGetNodeReport } from './get-node-report.js';
import { handleListNodes } from './list-nodes.js';
import { handleUpdateNode } from './update-node.js';

export function serveNodes(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(NodeServiceService, {
    acceptNodeFiles: withActivity(activity, handleAcceptNodeFiles(context), nodeFilesAcceptedEvent),
    createNode: withActivity(activity, handleCreateNode(context), nodeEvent('node:create')),
    deleteNode: withActivity(activity, handleDeleteNode(context), nodeDeletedEvent),
    deleteNodeVolume: withActivity(activity, handleDeleteNodeVolume(context), nodeVolumeDeletedEvent),
    getNode: handleGetNode(context),
    getNodeMetrics: handleGetNodeMetrics(context),
    getNodeReport: handleGetNodeReport(context),
    listNodes: handleListNodes(context),
    updateNode: withActivity(activity, handleUpdateNode(context), nodeEvent('node:update')),
  });
}
