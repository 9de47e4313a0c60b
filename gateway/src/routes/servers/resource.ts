import {
  Allocation,
  EggRef,
  FeatureLimits,
  InstallLogLine,
  Limits,
  NodeRef,
  Operation,
  Operation_Kind,
  PowerAction,
  PowerOperation,
  PowerOperation_State,
  PowerState,
  Resources,
  Server,
  Server_Status,
  ServerVariable,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { nameText, singleLine } from '../../declaration/text.js';

const serverAllocation = resource(Allocation, '', {
  id: is.uuid('id'),
  ip: is.text('ip'),
  alias: is.textOrNull('alias'),
  port: is.int('port'),
});

const variables = is.parts(
  'variables',
  resource(ServerVariable, 'ServerVariable', {
    name: is.text('name'),
    description: is.text('description'),
    env_variable: is.text('envVariable'),
    default_value: is.text('defaultValue'),
    server_value: is.text('serverValue'),
    is_editable: is.flag('isEditable'),
    rules: is.texts('rules'),
  }),
);

export const operation = resource(Operation, 'Operation', {
  id: is.uuid('id', 'for GET …/operations/{operation-id}; of a backup its own id'),
  kind: is.word('kind', Operation_Kind, { about: '`backing_up` locks nothing' }),
  step: is.text('step'),
  progress: is.int('progressPercent', '0 to 100'),
  started_at: is.timeOrNull('startTime'),
  problem: is.textOrNull('problem', 'what it waits for'),
});

const mainLimits = resource(Limits, '', {
  memory: is.int('memoryMb', 'MB'),
  cpu: is.int('cpuPercent', 'percent of one core; 0 unlimited'),
  disk: is.int('diskMb', 'MB; 0 unlimited'),
});

const limits = resource(Limits, '', {
  memory: is.int('memoryMb'),
  swap: is.int('swapMb', 'MB; -1 unlimited, 0 none'),
  disk: is.int('diskMb'),
  io: is.int('ioWeight', 'weight from 10 to 1000'),
  cpu: is.int('cpuPercent'),
});

const featureLimits = resource(FeatureLimits, '', {
  databases: is.int('databases'),
  backups: is.int('backups'),
  allocations: is.int('allocations'),
});

const status = is.word('status', Server_Status, { unspecified: 'unknown' });
export const statusOf = status.read;

export const server = resource(Server, 'Server', {
  id: is.uuid('id'),
  uuid_short: is.text('uuidShort'),
  name: is.text('name').settable(nameText(191).min(1)),
  description: is.text('description').settable(z.string().max(2000)),
  status,
  suspended: is.flag('suspended'),
  ...is.within('limits', mainLimits),
  limits: is.part('limits', limits),
  feature_limits: is.part('featureLimits', featureLimits),
  is_owner: is.flag('isOwner'),
  permissions: is.texts('permissions', 'yours on this server'),
  node: is.partOrNull('node', resource(NodeRef, '', { id: is.uuid('id'), name: is.text('name') })),
  egg: is.partOrNull('egg', resource(EggRef, '', { id: is.uuid('id'), name: is.text('name') })),
  allocation: is.partOrNull('allocation', serverAllocation),
  allocations: is.parts('allocations', serverAllocation),
  docker_image: is.text('dockerImage'),
  startup: is.text('startup'),
  variables,
  operation: is.partOrNull('operation', operation),
  install_error: is.failureOrNull('installError'),
  install_exit_code: is.intOrNull('installExitCode', 'of the install script'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const serverSortNames = ['created_at', 'name', 'status', 'memory', 'cpu', 'disk'] as const;

export const statusQuery = listQuery(...serverSortNames).extend({
  status: status.shown.schema.optional().describe('only servers in this status'),
});

export const clientServerListQuery = statusQuery.extend({
  include: z.enum(['resources']).optional().describe('"resources": with the usage of each'),
});

/** Power states only: unknown means offline. */
export const powerState = is.word('state', PowerState, { unspecified: 'offline' });

export const resources = resource(Resources, 'Resources', {
  state: powerState,
  suspended: is.flag('suspended'),
  uptime: is.int('uptimeMs', 'milliseconds since the game started'),
  cpu: is.plain('cpuPercent', z.number().describe('percent; 100 is one core')),
  cpu_absolute: is.plain('cpuPercent', z.number()),
  memory: is.int('memoryBytes', 'bytes'),
  memory_bytes: is.int('memoryBytes'),
  memory_limit_bytes: is.int('memoryLimitBytes'),
  disk: is.int('diskBytes', 'bytes'),
  disk_bytes: is.int('diskBytes'),
  network: is.group(
    resource(Resources, '', { rx_bytes: is.int('networkRxBytes'), tx_bytes: is.int('networkTxBytes') }),
  ),
  observed_at: is.timeOrNull('observeTime'),
});

export const listedServer = server.schema
  .extend({
    resources: resources.schema
      .nullable()
      .optional()
      .describe('only with ?include=resources; null when it is not known'),
  })
  .meta({ id: 'ListedServer' });

export const startup = resource(Server, 'Startup', {
  startup: is.text('startup', 'the command with its placeholders'),
  startup_command: is.computed(
    z.string().nullable().describe('label of the command in use among those offered'),
    ({ startup: used, startupCommands }: Server) =>
      startupCommands.find(({ command }) => command === used)?.label ?? null,
  ),
  startup_commands: is.labelled('startupCommands', 'command', 'what the egg offers: label to command'),
  invocation: is.text('invocation', 'the command with values'),
  docker_image: is.text('dockerImage'),
  variables,
});

export const updateStartupBody = z.strictObject({
  environment: z.record(z.string().max(191), z.string().max(65_535)).default({}),
  docker_image: z.string().min(1).max(255).optional(),
  startup_command: z.string().min(1).max(191).nullish().describe('label of one of those offered'),
});

const notedAllocation = resource(Allocation, '', { ...serverAllocation.fields, notes: is.textOrNull('notes') });
export const clientAllocation = notedAllocation.schema
  .extend({ is_primary: z.boolean() })
  .meta({ id: 'ServerAllocation' });

export function presentClientAllocation(message: Allocation | undefined, primaryId: string) {
  const shown = notedAllocation.present(message);
  return { ...shown, is_primary: shown.id === primaryId };
}

export const updateAllocationBody = z
  .strictObject({
    notes: z.string().max(255).nullable(),
    is_primary: z.literal(true).describe('make it the primary one, from the next start'),
  })
  .partial();

export const installLogLine = resource(InstallLogLine, '', {
  message: is.text('text'),
  step: is.text('step'),
  at: is.timeOrNull('time'),
});

export const powerAction = is.word('action', PowerAction);
const action = powerAction.shown.schema;

export const powerBody = z.strictObject({ action });
export const powerResponse = z.strictObject({ action, accepted: z.literal(true), operation_id: z.uuid() });

export const powerOperation = resource(PowerOperation, 'PowerOperation', {
  id: is.uuid('id'),
  action: powerAction,
  state: is.word('state', PowerOperation_State, {
    about: 'completed: the engine has done it; superseded: a kill, a suspension or a deletion came before its end',
  }),
  error: is.textOrNull('error', 'why it failed'),
  started_at: is.time('startTime'),
  ended_at: is.timeOrNull('endTime'),
});

/** One console line, by REST and socket. */
export const consoleCommand = singleLine(4096);

export const commandBody = z.strictObject({ command: consoleCommand });
export const commandResponse = z.strictObject({ accepted: z.literal(true) });

/** Requests of a game on its console. */
export const featureNames = ['eula', 'java_version', 'steam_disk_space', 'gsl_token', 'pid_limit'] as const;

export const resolveFeatureBody = z.strictObject({
  feature: z.enum(featureNames),
  docker_image: z.string().min(1).max(255).optional().describe('of java_version: one of the images of the egg'),
  java_version: z.int().min(1).max(999).optional().describe('of java_version: choose the image that fits'),
  token: z.string().trim().min(1).max(191).optional().describe('of gsl_token'),
  restart: z.boolean().default(false).describe('restart the server'),
});

export const resolvedFeature = z
  .strictObject({
    docker_image: z.string(),
    restarting: z.boolean().describe('false, too, when something else is in progress with the server'),
  })
  .meta({ id: 'ResolvedFeature' });
