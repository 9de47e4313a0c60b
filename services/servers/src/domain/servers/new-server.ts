import { fieldProblem } from '@panel/kit/errors';
import type { Egg } from '../eggs/egg.js';
import type { ServerFields } from './check-server.js';
import type { RunSettings } from './run-settings.js';
import type { FeatureLimits, GameServer, Operation, ServerLimits } from './server.js';
import { snapshotOf } from './take-over-egg.js';

export interface NewServer {
  readonly name: string;
  readonly userId: string;
  readonly eggId: string;
  /** Both or neither. */
  readonly nodeId: string;
  readonly allocationId: string;
  readonly additionalAllocationIds: readonly string[];
  readonly nodeTags: readonly string[];
  readonly limits: ServerLimits;
  readonly featureLimits: FeatureLimits;
  readonly description: string;
  /** Empty: the egg's. */
  readonly dockerImage: string;
  readonly startup: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly startOnCompletion: boolean;
  readonly skipScripts: boolean;
  readonly externalId: string;
  /** Of files that are on the node; empty: none, it is installed. */
  readonly adoptedId: string;
  readonly isMetered?: boolean;
  readonly runSettings?: Partial<RunSettings>;
}

export type Carried = Pick<GameServer, 'nodeId' | 'nodeName' | 'nodeNameRevision' | 'allocationId' | 'allocations'>;

const maxAdditional = 50;

export function checkPlacement(request: NewServer, checked: ServerFields): void {
  const { nodeId, allocationId, additionalAllocationIds } = request;
  checked.refuse(nodeId === '' && allocationId !== '', 'node_id', 'must be given together with allocation_id');
  checked.refuse(nodeId !== '' && allocationId === '', 'allocation_id', 'must be given together with node_id');
  const all = new Set([allocationId, ...additionalAllocationIds]);
  const isOdd = all.size <= additionalAllocationIds.length || additionalAllocationIds.length > maxAdditional;
  checked.refuse(isOdd, 'additional_allocation_ids', `must be at most ${maxAdditional} different ones`);
  checked.refuse(
    request.adoptedId !== '' && nodeId === '',
    'node_id',
    fieldProblem('required', 'must be given with adopted_id'),
  );
  checked.refuse(
    request.adoptedId !== '' && request.startOnCompletion,
    'start_on_completion',
    fieldProblem('not_allowed', 'cannot be given with adopted_id, which completes nothing'),
  );
  const isLost = nodeId === '' && additionalAllocationIds.length > 0;
  checked.refuse(isLost, 'additional_allocation_ids', 'must be given together with node_id and allocation_id');
}

/** Of an operation that no worker has claimed. */
export const firstFence = 1;

/** `operationId` is of its installation. */
export function newServer(
  { id, operationId, at }: { readonly id: string; readonly operationId: string; readonly at: Date },
  carried: Carried,
  request: NewServer,
  egg: Egg,
): GameServer {
  return {
    id,
    uuidShort: id.slice(0, 8),
    name: request.name.trim(),
    description: request.description,
    userId: request.userId,
    externalId: request.externalId === '' ? null : request.externalId,
    ...carried,
    eggId: egg.id,
    egg: snapshotOf(egg),
    dockerImage: request.dockerImage || (egg.spec.dockerImages[0]?.image ?? ''),
    startup: request.startup || egg.spec.startup,
    environment: request.environment,
    limits: request.limits,
    featureLimits: request.featureLimits,
    databaseIds: [],
    subusers: [],
    subuserRoles: [],
    suspended: false,
    install: { state: request.adoptedId === '' ? 'pending' : 'installed', error: null, exitCode: null, at: null },
    power: { state: 'offline', desired: 'offline', generation: 0, changedAt: at, lease: null },
    ...(request.isMetered ? { isMetered: true } : {}),
    ...(request.runSettings ? { runSettings: request.runSettings } : {}),
    crash: { times: [], restartAt: null },
    ...(request.adoptedId === ''
      ? { operation: installation(operationId, request, at), status: 'installing' }
      : { operation: null, status: 'offline' }),
    createdAt: at,
    updatedAt: at,
  };
}

function installation(id: string, { skipScripts, startOnCompletion }: NewServer, at: Date): Operation {
  return {
    id,
    kind: 'installing',
    step: 'waiting',
    progress: 0,
    startedAt: at,
    leaseOwner: null,
    leaseExpiresAt: null,
    fence: firstFence,
    waits: 0,
    options: { skipScripts, startOnCompletion, force: false },
  };
}
