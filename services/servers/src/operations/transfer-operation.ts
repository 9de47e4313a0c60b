import type { OperationDefinition } from './operation.js';
import { giveUpTransfer, runTransfer } from './transfer.js';

export const transferOperation: OperationDefinition = {
  kind: 'transferring',
  steps: { reserve: 0, waiting: 0, backups: 0, stop: 2, copy: 5, restore: 5, verify: 88, switch: 97 },
  startedBy: ['ServerService.TransferServer'],
  lane: 'long',
  // It waits for nodes while it progresses; its own timeout ends it.
  maxClaims: Infinity,
  run: async (deps, { server, lease, signal }) => runTransfer(deps, server, lease, signal),
  giveUp: async (deps, { lease }) => giveUpTransfer(deps, lease, 'it was interrupted too often'),
};
