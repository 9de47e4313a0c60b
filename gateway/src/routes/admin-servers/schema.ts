import { isProcessorList, maxProcessor } from '@panel/kit/text';
import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { singleLine } from '../../declaration/text.js';
import { server, statusQuery } from '../servers/resource.js';

export const transferResult = z
  .strictObject({
    outcome: z.enum(['completed', 'cancelled', 'failed']),
    source_node_id: z.uuid(),
    target_node_id: z.uuid(),
    error: z.string().nullable().describe('why it failed'),
    ended_at: time.nullable(),
  })
  .meta({ id: 'TransferResult' });

export const autoStart = z
  .enum(['always', 'unless_stopped', 'never'])
  .describe('when the node starts: also a stopped server, only one that ran, or none');

/** A server with every field, for staff. */
export const adminServer = server.schema
  .extend({
    user_id: z.uuid(),
    node_id: z.uuid().nullable(),
    egg_id: z.uuid().nullable(),
    external_id: z.string().nullable(),
    invocation: z.string().describe('the startup command with values'),
    environment: z.record(z.string(), z.string()),
    auto_start: autoStart,
    timezone: z.string().nullable().describe("TZ of the game; null: the egg's, else the panel's"),
    threads: z.string().nullable().describe('processors of the node that the game may use; null: all'),
    oom_disabled: z.boolean().describe('a game that reaches its memory limit waits instead of being ended'),
    stop_grace: z.int().nullable().describe("seconds between the stop and the kill; null: the egg's, else the panel's"),
    last_transfer: transferResult.nullable().describe('how the last transfer to another node ended'),
  })
  .meta({ id: 'AdminServer' });

export const serverListQuery = statusQuery.extend({
  user_id: z.uuid('must be a UUID').optional().describe('only servers of this owner'),
  node_id: z.uuid('must be a UUID').optional().describe('only servers on this node'),
  egg_id: z.uuid('must be a UUID').optional().describe('only servers of this egg'),
  external_id: z.string().min(1).max(191).optional().describe('only the server with this external id'),
});

const int32Max = 2_147_483_647;
const id = z.uuid('must be a UUID');
const megabytes = z.int().max(int32Max);

/** What can be said of a server at its creation and later; units as in the answer. */
export const serverFields = {
  name: z.string().trim().min(1).max(191),
  user_id: id,
  egg_id: id,
  memory: megabytes.min(128, 'must be at least 128 MB'),
  cpu: z.int().min(0).max(100_000),
  disk: megabytes.min(0),
  swap: megabytes.min(-1),
  io: z.int().min(10).max(1000),
  databases_limit: z.int().min(0).max(1000),
  backups_limit: z.int().min(0).max(1000),
  allocations_limit: z.int().min(0).max(1000),
  description: z.string().max(2000),
  docker_image: z.string().min(1).max(255),
  environment: z.record(z.string().max(191), z.string().max(65_535)),
  additional_allocation_ids: z.array(id).max(50),
  external_id: z.string().min(1).max(191),
  auto_start: autoStart,
  timezone: z.string().min(1).max(64).nullable(),
  threads: z
    .string()
    .max(191)
    .refine(
      (text) => isProcessorList(text.replaceAll(' ', '')),
      `must be processors from 0 to ${maxProcessor} like 0-3,6`,
    )
    .meta({ examples: ['0-3,6'] })
    .nullable(),
  oom_disabled: z.boolean(),
  stop_grace: z.int().min(1).max(86_400).nullable(),
};

export const runSettingsBody = z.object({
  auto_start: serverFields.auto_start,
  timezone: serverFields.timezone,
  threads: serverFields.threads,
  oom_disabled: serverFields.oom_disabled,
  stop_grace: serverFields.stop_grace,
});

export const createServerBody = z
  .strictObject({
    ...serverFields,
    node_id: id.optional(),
    allocation_id: id.optional(),
    additional_allocation_ids: serverFields.additional_allocation_ids.default([]),
    swap: serverFields.swap.default(0),
    io: serverFields.io.default(500),
    databases_limit: serverFields.databases_limit.default(0),
    backups_limit: serverFields.backups_limit.default(0),
    allocations_limit: serverFields.allocations_limit.default(1),
    description: serverFields.description.default(''),
    docker_image: serverFields.docker_image.optional(),
    startup: singleLine(4096).optional(),
    environment: serverFields.environment.default({}),
    start_on_completion: z.boolean().default(false),
    skip_scripts: z.boolean().default(false),
    external_id: serverFields.external_id.optional(),
    auto_start: serverFields.auto_start.default('unless_stopped'),
    timezone: serverFields.timezone.default(null),
    threads: serverFields.threads.default(null),
    oom_disabled: serverFields.oom_disabled.default(false),
    stop_grace: serverFields.stop_grace.default(null),
    node_tags: z.array(z.string().min(1).max(64)).max(20).default([]),
  })
  .superRefine((body, context) => {
    if ((body.node_id === undefined) === (body.allocation_id === undefined)) return;
    const missing = body.node_id === undefined ? 'node_id' : 'allocation_id';
    const message = 'node_id and allocation_id go together; leave out both to let the panel choose';
    context.addIssue({ code: 'custom', path: [missing], message });
  });

export const transferServerBody = z.strictObject({
  node_id: id.describe('the node to move to'),
  allocation_id: id.optional().describe('the primary one on that node; any free one when left out'),
  additional_allocation_ids: serverFields.additional_allocation_ids
    .optional()
    .describe('when left out, as many free ones as the server has now'),
});

export const deleteServerQuery = z.object({
  force: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional()
    .describe('go on although the node does not answer'),
  keep_backups: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional()
    .describe('whether its completed backups stay; without it as the installation is configured'),
});
