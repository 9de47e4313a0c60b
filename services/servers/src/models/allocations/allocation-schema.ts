import { schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { Allocation } from '../../domain/allocations/allocation.js';
import { count, required, text } from '../fields.js';

/**
 * `isVisible`: the whole batch is in (allocation-batch.ts). `pendingSince`: from a server's claim to its document. Row
 * ids follow from the creation's id: a retry meets its own rows.
 */
export type AllocationDocument = Omit<Allocation, 'id'> & {
  _id: string;
  batchId: string;
  isVisible: boolean;
  pendingSince: Date | null;
  /** Of the claim (CallContext); null: none. */
  creationId: string | null;
};

/** Shard key: nodeId; only queries by server omit it. */
export const allocationSchema = new Schema<AllocationDocument>(
  {
    _id: { type: String, ...required },
    nodeId: { type: String, ...required },
    ip: { type: String, ...required },
    alias: text,
    port: count,
    serverId: { type: String, default: null },
    batchId: { type: String, ...required },
    isVisible: { type: Boolean, ...required },
    pendingSince: { type: Date, default: null },
    creationId: { type: String, default: null },
    createdAt: { type: Date, ...required },
  },
  schemaOptions,
);
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
