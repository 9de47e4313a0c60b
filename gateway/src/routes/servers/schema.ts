import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { listQuery } from '../../declaration/list-query.js';
import { singleLine } from '../../declaration/text.js';

export const serverStatuses = [
  'offline',
  'starting',
  'running',
  'stopping',
  'installing',
  'install_failed',
  'reinstalling',
  'suspended',
  'transferring',
  'restoring',
  'deleting',
  'unknown',
] as const;

export const powerStates = ['offline', 'starting', 'running', 'stopping'] as const;
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const;

const named = z.strictObject({ id: z.uuid(), name: z.string() });

const serverAllocation = z.strictObject({
  id: z.uuid(),
  ip: z.string(),
  alias: z.string().nullable(),
  port: z.int(),
});

export const serverVariable = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    env_variable: z.string(),
    default_value: z.string(),
    server_value: z.string(),
    is_editable: z.boolean(),
    rules: z.array(z.string()),
  })
  .meta({ id: 'ServerVariable' });

export const operationKinds = [
  'installing',
  'reinstalling',
  'transferring',
  'restoring',
  'deleting',
  'backing_up',
] as const;

export const operation = z
  .strictObject({
    kind: z.enum(operationKinds).describe('`backing_up` locks nothing'),
    step: z.string(),
    progress: z.int().describe('0 to 100'),
    started_at: time.nullable(),
  })
  .meta({ id: 'Operation' });

export const server = z
  .strictObject({
    id: z.uuid(),
    uuid_short: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(serverStatuses),
    suspended: z.boolean(),
    memory: z.int().describe('MB'),
    cpu: z.int().describe('percent of one core; 0 unlimited'),
    disk: z.int().describe('MB; 0 unlimited'),
    limits: z.strictObject({
      memory: z.int(),
      swap: z.int().describe('MB; -1 unlimited, 0 none'),
      disk: z.int(),
      io: z.int().describe('weight from 10 to 1000'),
      cpu: z.int(),
    }),
    feature_limits: z.strictObject({ databases: z.int(), backups: z.int(), allocations: z.int() }),
    is_owner: z.boolean(),
    permissions: z.array(z.string()).describe('yours on this server'),
    node: named.nullable(),
    egg: named.nullable(),
    allocation: serverAllocation.nullable(),
    allocations: z.array(serverAllocation),
    docker_image: z.string(),
    startup: z.string(),
    variables: z.array(serverVariable),
    operation: operation.nullable(),
    install_error: z.string().nullable(),
    install_exit_code: z.int().nullable().describe('of the install script'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Server' });

export const serverSortNames = ['created_at', 'name', 'status', 'memory', 'cpu', 'disk'] as const;

export const clientServerListQuery = listQuery(...serverSortNames).extend({
  status: z.enum(serverStatuses).optional().describe('only servers in this status'),
  include: z.enum(['resources']).optional().describe('"resources": with the usage of each'),
});

export const serverListQuery = listQuery(...serverSortNames).extend({
  status: z.enum(serverStatuses).optional().describe('only servers in this status'),
  user_id: z.uuid('must be a UUID').optional().describe('only servers of this owner'),
  node_id: z.uuid('must be a UUID').optional().describe('only servers on this node'),
  egg_id: z.uuid('must be a UUID').optional().describe('only servers of this egg'),
  external_id: z.string().min(1).max(191).optional().describe('only the server with this external id'),
});

export const resources = z
  .strictObject({
    state: z.enum(powerStates),
    suspended: z.boolean(),
    uptime: z.int().describe('milliseconds since the game started'),
    cpu: z.number().describe('percent; 100 is one core'),
    cpu_absolute: z.number(),
    memory: z.int().describe('bytes'),
    memory_bytes: z.int(),
    memory_limit_bytes: z.int(),
    disk: z.int().describe('bytes'),
    disk_bytes: z.int(),
    network: z.strictObject({ rx_bytes: z.int(), tx_bytes: z.int() }),
    observed_at: time.nullable(),
  })
  .meta({ id: 'Resources' });

export const listedServer = server
  .extend({
    resources: resources.nullable().optional().describe('only with ?include=resources; null when it is not known'),
  })
  .meta({ id: 'ListedServer' });

export const renameServerBody = z
  .strictObject({ name: z.string().trim().min(1).max(191), description: z.string().max(2000) })
  .partial();

export const startup = z
  .strictObject({
    startup: z.string().describe('the command with its placeholders'),
    startup_command: z.string().nullable().describe('label of the command in use among those offered'),
    startup_commands: z.record(z.string(), z.string()).describe('what the egg offers: label to command'),
    invocation: z.string().describe('the command with values'),
    docker_image: z.string(),
    variables: z.array(serverVariable),
  })
  .meta({ id: 'Startup' });

export const updateStartupBody = z.strictObject({
  environment: z.record(z.string().max(191), z.string().max(65_535)).default({}),
  docker_image: z.string().min(1).max(255).optional(),
  startup_command: z.string().min(1).max(191).optional().describe('label of one of those offered'),
});

export const clientAllocation = z
  .strictObject({
    id: z.uuid(),
    ip: z.string(),
    alias: z.string().nullable(),
    port: z.int(),
    notes: z.string().nullable(),
    is_primary: z.boolean(),
  })
  .meta({ id: 'ServerAllocation' });

export const updateAllocationBody = z
  .strictObject({
    notes: z.string().max(255).nullable(),
    is_primary: z.literal(true).describe('make it the primary one, from the next start'),
  })
  .partial();

export const installLogLine = z.strictObject({ message: z.string(), step: z.string(), at: time.nullable() });

export const powerBody = z.strictObject({ action: z.enum(powerActions) });

export const powerResponse = z.strictObject({
  action: z.enum(powerActions),
  accepted: z.literal(true),
  operation_id: z.uuid(),
});

export const powerOperation = z
  .strictObject({
    id: z.uuid(),
    action: z.enum(powerActions),
    state: z
      .enum(['in_progress', 'completed', 'failed', 'superseded'])
      .describe(
        'completed: the engine has done it; superseded: a kill, a suspension or a deletion came before its end',
      ),
    error: z.string().nullable().describe('why it failed'),
    started_at: time,
    ended_at: time.nullable(),
  })
  .meta({ id: 'PowerOperation' });

/** One line for the console of a game; the same by REST and by socket. */
export const consoleCommand = singleLine(4096);

export const commandBody = z.strictObject({ command: consoleCommand });
export const commandResponse = z.strictObject({ accepted: z.literal(true) });

/** What a game can ask for on its console. */
export const featureNames = ['eula', 'java_version', 'steam_disk_space', 'gsl_token', 'pid_limit'] as const;

export const resolveFeatureBody = z.strictObject({
  feature: z.enum(featureNames),
  docker_image: z.string().min(1).max(255).optional().describe('of java_version: one of the images of the egg'),
  java_version: z.int().min(1).max(999).optional().describe('of java_version: choose the image that fits'),
  token: z.string().trim().min(1).max(191).optional().describe('of gsl_token'),
  restart: z.boolean().default(false).describe('start the server anew'),
});

export const resolvedFeature = z
  .strictObject({
    docker_image: z.string(),
    restarting: z.boolean().describe('false, too, when something else is in progress with the server'),
  })
  .meta({ id: 'ResolvedFeature' });
