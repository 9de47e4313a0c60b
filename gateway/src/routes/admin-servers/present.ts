import {
  CreateServerRequest,
  RunSettings,
  RunSettings_AutoStart,
  type Server,
  type TransferResult,
  TransferResult_Outcome,
  TransferServerRequest,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { failureOrNull, isoTime, required, textOrNull } from '../../declaration/present.js';
import { server } from '../servers/resource.js';
import type { adminServer, createServerBody, runSettingsBody, transferResult, transferServerBody } from './schema.js';

export function presentAdminServer(message: Server | undefined): z.input<typeof adminServer> {
  const found = required(message, 'server');
  return {
    ...server.present(found),
    user_id: found.userId,
    node_id: found.node?.id ?? null,
    egg_id: found.egg?.id ?? null,
    external_id: textOrNull(found.externalId),
    invocation: found.invocation,
    ...presentRunSettings(found.runSettings),
    last_transfer: found.lastTransfer ? presentTransferResult(found.lastTransfer) : null,
    environment: Object.fromEntries(found.variables.map(({ envVariable, serverValue }) => [envVariable, serverValue])),
  };
}

type ShownRunSettings = Pick<
  z.input<typeof adminServer>,
  'auto_start' | 'timezone' | 'threads' | 'oom_disabled' | 'stop_grace'
>;

function presentRunSettings(settings: RunSettings | undefined): ShownRunSettings {
  return {
    auto_start: autoStartWords[settings?.autoStart ?? RunSettings_AutoStart.UNSPECIFIED],
    timezone: textOrNull(settings?.timezone ?? ''),
    threads: textOrNull(settings?.threads ?? ''),
    oom_disabled: settings?.oomDisabled ?? false,
    stop_grace: settings?.stopGraceSeconds || null,
  };
}

const autoStartWords = {
  [RunSettings_AutoStart.ALWAYS]: 'always',
  [RunSettings_AutoStart.UNLESS_STOPPED]: 'unless_stopped',
  [RunSettings_AutoStart.NEVER]: 'never',
  [RunSettings_AutoStart.UNSPECIFIED]: 'unless_stopped',
} as const satisfies Record<RunSettings_AutoStart, string>;

const autoStartMessages = {
  always: RunSettings_AutoStart.ALWAYS,
  unless_stopped: RunSettings_AutoStart.UNLESS_STOPPED,
  never: RunSettings_AutoStart.NEVER,
} as const;

/** What a body names of them; null takes a setting away. */
export function runSettingsRequest(body: Partial<z.output<typeof runSettingsBody>>): RunSettings {
  return RunSettings.create({
    autoStart: body.auto_start && autoStartMessages[body.auto_start],
    timezone: body.timezone === null ? '' : body.timezone,
    threads: body.threads === null ? '' : body.threads,
    oomDisabled: body.oom_disabled,
    stopGraceSeconds: body.stop_grace === null ? 0 : body.stop_grace,
  });
}

const outcomes = {
  [TransferResult_Outcome.COMPLETED]: 'completed',
  [TransferResult_Outcome.CANCELLED]: 'cancelled',
  [TransferResult_Outcome.FAILED]: 'failed',
  [TransferResult_Outcome.UNSPECIFIED]: 'failed',
} as const satisfies Record<TransferResult_Outcome, string>;

function presentTransferResult(message: TransferResult): z.input<typeof transferResult> {
  return {
    outcome: outcomes[message.outcome],
    source_node_id: message.sourceNodeId,
    target_node_id: message.targetNodeId,
    error: failureOrNull(message.error),
    ended_at: isoTime(message.endTime),
  };
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
  });
}

export function createServerRequest(body: z.output<typeof createServerBody>): CreateServerRequest {
  return CreateServerRequest.create({
    name: body.name,
    userId: body.user_id,
    eggId: body.egg_id,
    nodeId: body.node_id,
    allocationId: body.allocation_id,
    additionalAllocationIds: body.additional_allocation_ids,
    limits: {
      memoryMb: body.memory,
      swapMb: body.swap,
      diskMb: body.disk,
      ioWeight: body.io,
      cpuPercent: body.cpu,
    },
    featureLimits: {
      databases: body.databases_limit,
      backups: body.backups_limit,
      allocations: body.allocations_limit,
    },
    description: body.description,
    dockerImage: body.docker_image,
    startup: body.startup,
    environment: body.environment,
    startOnCompletion: body.start_on_completion,
    skipScripts: body.skip_scripts,
    externalId: body.external_id,
    nodeTags: body.node_tags,
    runSettings: runSettingsRequest(body),
  });
}
