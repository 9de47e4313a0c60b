import { type DocumentOf, documentSchema } from '@panel/kit/mongo';
import { date, flag, id, orNull, text } from '@panel/kit/records';
import { allocationFields } from '../../domain/allocations/allocation.js';

/** Shard key: nodeId; only queries by server omit it. Ids follow from the creation's id: a retry meets its own rows. */
export const allocationSchema = documentSchema({
  ...allocationFields,
  batchId: id,
  /** The whole batch is in (allocation-batch.ts). */
  isVisible: flag,
  /** From a server's claim to its document. */
  pendingSince: orNull(date),
  /** Of the claim (CallContext); null: none. */
  creationId: orNull(text),
});
export type AllocationDocument = DocumentOf<typeof allocationSchema>;
allocationSchema.index({ nodeId: 1, ip: 1, port: 1 }, { name: 'allocation_node_ip_port', unique: true });
allocationSchema.index({ nodeId: 1, port: 1, _id: 1 }, { name: 'allocation_node_port' });
allocationSchema.index({ nodeId: 1, createdAt: 1, _id: 1 }, { name: 'allocation_node_created' });
allocationSchema.index({ nodeId: 1, serverId: 1 }, { name: 'allocation_node_server' });
allocationSchema.index(
  { serverId: 1 },
  { name: 'allocation_server', partialFilterExpression: { serverId: { $type: 'string' } } },
);
allocationSchema.index({ batchId: 1 }, { name: 'allocation_batch' });
allocationSchema.index({ createdAt: 1 }, { name: 'allocation_hidden', partialFilterExpression: { isVisible: false } });
allocationSchema.index(
  { pendingSince: 1 },
  { name: 'allocation_reserved', partialFilterExpression: { pendingSince: { $type: 'date' } } },
);
allocationSchema.index(
  { creationId: 1 },
  { name: 'allocation_taken_by', unique: true, partialFilterExpression: { creationId: { $type: 'string' } } },
);
