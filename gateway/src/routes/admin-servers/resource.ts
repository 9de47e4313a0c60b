import { isOneLine, isProcessorList, maxProcessor } from '@panel/kit/text';
import {
  CreateServerRequest,
  FeatureLimits,
  Limits,
  RunSettings,
  RunSettings_AutoStart,
  Server,
  TransferResult,
  TransferResult_Outcome,
  TransferServerRequest,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { yesOrNo } from '../../declaration/list-query.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import type { SentNames } from '../../declaration/sent-names.js';
import { imageReference, plainText, singleLine, timezone } from '../../declaration/text.js';
import { server, statusQuery } from '../servers/resource.js';

const id = z.uuid('must be a UUID');
const ids = z.array(id).max(50);
const externalId = z.string().min(1).max(191).refine(isOneLine, 'must be one line of at most 191 characters');
const megabytes = z.int().max(2_147_483_647);
const startup = singleLine(4096);

export const limits = resource(Limits, '', {
  memory: is.int('memoryMb').settable(megabytes.min(128, 'must be at least 128 MB')),
  cpu: is.int('cpuPercent').settable(z.int().min(0).max(100_000)),
  disk: is.int('diskMb').settable(megabytes.min(0)),
  swap: is.int('swapMb').settable(megabytes.min(-1), 0),
  io: is.int('ioWeight').settable(z.int().min(10).max(1000), 500),
});

export const featureLimit = z.int().min(0).max(1000);

const autoStart = is.word('autoStart', RunSettings_AutoStart, {
  about: 'when the node starts: also a stopped server, only one that ran, or none',
  unspecified: 'unless_stopped',
});

/** Null removes one. */
export const runSettings = resource(RunSettings, '', {
  auto_start: autoStart.settable(autoStart.shown.schema, 'unless_stopped'),
  timezone: is
    .textOrNull('timezone', "TZ of the game; null: the egg's, else the panel's")
    .settable(timezone.nullable(), null),
  threads: is.textOrNull('threads', 'processors of the node that the game may use; null: all').settable(
    z
      .string()
      .max(191)
      .refine(
        (text) => isProcessorList(text.replaceAll(' ', '')),
        `must be processors from 0 to ${maxProcessor} like 0-3,6`,
      )
      .meta({ examples: ['0-3,6'] })
      .nullable(),
    null,
  ),
  oom_disabled: is
    .flag('oomDisabled', 'a game that reaches its memory limit waits instead of being ended')
    .settable(z.boolean(), false),
  stop_grace: is
    .positiveOrNull('stopGraceSeconds', "seconds between the stop and the kill; null: the egg's, else the panel's")
    .settable(z.int().min(1).max(86_400).nullable(), null),
});

const transferResult = resource(TransferResult, 'TransferResult', {
  outcome: is.word('outcome', TransferResult_Outcome, { unspecified: 'failed' }),
  source_node_id: is.uuid('sourceNodeId'),
  target_node_id: is.uuid('targetNodeId'),
  error: is.failureOrNull('error', 'why it failed'),
  ended_at: is.timeOrNull('endTime'),
});

/** All fields, for staff. */
export const adminServer = resource(Server, 'AdminServer', {
  ...server.fields,
  user_id: is.uuid('userId'),
  node_id: is.computed(z.uuid().nullable(), ({ node }: Server) => node?.id ?? null),
  egg_id: is.computed(z.uuid().nullable(), ({ egg }: Server) => egg?.id ?? null),
  external_id: is.textOrNull('externalId'),
  invocation: is.text('invocation', 'the startup command with values'),
  environment: is.computed(z.record(z.string(), z.string()), ({ variables }: Server) =>
    Object.fromEntries(variables.map(({ envVariable, serverValue }) => [envVariable, serverValue])),
  ),
  ...is.within('runSettings', runSettings, RunSettings.create()),
  last_transfer: is.partOrNull('lastTransfer', transferResult, 'how the last transfer to another node ended'),
});

export const serverListQuery = statusQuery.extend({
  user_id: id.optional().describe('only servers of this owner'),
  node_id: id.optional().describe('only servers on this node'),
  egg_id: id.optional().describe('only servers of this egg'),
  external_id: externalId.optional().describe('only the server with this external id'),
});

/** Creation and update; units as in responses. */
const request = resource(CreateServerRequest, '', {
  name: server.fields.name,
  user_id: is.text('userId').settable(id),
  egg_id: is.text('eggId').settable(id),
  ...is.within('limits', limits),
  ...is.within(
    'featureLimits',
    resource(FeatureLimits, '', {
      databases_limit: is.int('databases').settable(featureLimit, 0),
      backups_limit: is.int('backups').settable(featureLimit, 0),
      allocations_limit: is.int('allocations').settable(featureLimit, 1),
    }),
  ),
  description: is.text('description').settable(plainText(2000), ''),
  docker_image: is.text('dockerImage').optional(imageReference.min(1)),
  environment: is
    .plain('environment', z.record(z.string(), z.string()))
    .settable(z.record(z.string().max(191), z.string().max(65_535)), {}),
  additional_allocation_ids: is.uuids('additionalAllocationIds').settable(ids, []),
  external_id: is.textOrNull('externalId').settableAs(externalId.nullable(), externalId.optional()),
  ...is.within('runSettings', runSettings),
  node_id: is.given('nodeId', id.optional()),
  allocation_id: is.given('allocationId', id.optional()),
  startup: is.textOrNull('startup').settableAs(null, startup.optional()),
  start_on_completion: is.given('startOnCompletion', z.boolean().default(false)),
  skip_scripts: is.given('skipScripts', z.boolean().default(false)),
  adopted_id: is.given(
    'adoptedId',
    id.optional().describe('server id of files that the report of `node_id` lists: nothing is installed'),
  ),
  node_tags: is.given('nodeTags', z.array(z.string().min(1).max(64)).max(20).default([])),
});

const requiredWith = (field: string, other: string) => ({
  path: [field],
  message: `is required with ${other}; leave out both to let the panel choose`,
  params: { reason: 'required' },
  when: always,
});

export const createServerBody = request.createBody
  .refine(
    (body) => body.node_id === undefined || body.allocation_id !== undefined,
    requiredWith('allocation_id', 'node_id'),
  )
  .refine(
    (body) => body.allocation_id === undefined || body.node_id !== undefined,
    requiredWith('node_id', 'allocation_id'),
  );

export const createServerRequest = request.readNew;

/** Creation fields without location; `egg_id` only with `reinstall`. */
export const updateServerBody = request.updateBody.extend({
  egg_id: id.nullish().describe('only together with reinstall'),
  startup: z
    .union([startup, z.literal('')])
    .nullish()
    .describe("null or empty: the egg's"),
  allocation_id: id.optional().describe('the primary one'),
  add_allocation_ids: ids.optional(),
  remove_allocation_ids: ids.optional(),
  reinstall: z.boolean().default(false),
  skip_scripts: z.boolean().default(false),
});

/** `additional_allocation_ids` of a creation are added, too. */
export function updateServerNames(body: z.output<typeof updateServerBody>): SentNames {
  const isAlias = body.add_allocation_ids === undefined && body.additional_allocation_ids !== undefined;
  return isAlias ? { add_allocation_ids: 'additional_allocation_ids' } : {};
}

export function updateServerRequest(serverId: string, body: z.output<typeof updateServerBody>): UpdateServerRequest {
  const { add_allocation_ids: added = [], additional_allocation_ids: additional = [], egg_id: _, ...fields } = body;
  return request.read(UpdateServerRequest, fields, {
    serverId,
    addAllocationIds: [...added, ...additional],
    eggId: body.egg_id ?? undefined,
    removeAllocationIds: body.remove_allocation_ids,
    reinstall: body.reinstall,
  });
}

export const updatedServer = adminServer.schema
  .extend({
    restart_needed: z.boolean().describe('the running game keeps some of its old settings until it restarts'),
  })
  .meta({ id: 'UpdatedServer' });

const transferFields = z.strictObject({
  node_id: id.describe('the node to move to'),
  allocation_id: id.optional().describe('the primary one on that node; any free one when left out'),
  additional_allocation_ids: ids.optional().describe('when left out, as many free ones as the server has now'),
  backup_id: id.optional().describe('when the node of the server is gone: the backup that its files come from'),
  has_files: z
    .boolean()
    .default(false)
    .describe('that node has the files already, as its report says: nothing is copied, and none are removed'),
});

export const transferServerBody = transferFields
  .refine((body) => !body.has_files || body.backup_id === undefined, {
    path: ['has_files'],
    message: 'cannot be given together with backup_id',
    params: { reason: 'not_allowed' },
    when: always,
  })
  .refine(({ allocation_id: first, additional_allocation_ids: more }) => areDifferent([first, more].flat()), {
    path: ['additional_allocation_ids'],
    message: 'must be at most 50 different ones',
    when: always,
  });

function areDifferent(given: readonly (string | undefined)[]): boolean {
  const allocationIds = given.filter((each) => each !== undefined);
  return new Set(allocationIds).size === allocationIds.length;
}

export function transferServerRequest(
  serverId: string,
  body: z.output<typeof transferServerBody>,
): TransferServerRequest {
  const additional = body.additional_allocation_ids;
  return TransferServerRequest.create({
    serverId,
    nodeId: body.node_id,
    allocationId: body.allocation_id,
    additionalAllocationIds: additional && { allocationIds: additional },
    backupId: body.backup_id,
    hasFiles: body.has_files,
  });
}

export const deleteServerQuery = z.object({
  force: yesOrNo.optional().describe('go on although the node does not answer'),
  keep_backups: yesOrNo
    .optional()
    .describe('whether its completed backups stay; without it as the installation is configured'),
});
