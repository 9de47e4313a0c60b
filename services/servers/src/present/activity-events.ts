import type { ActivityEvent, EventsWith } from '@panel/activity';
import { wordOf } from '@panel/kit/records';
import {
  type AcceptNodeFilesRequest,
  type ApplyEggRequest,
  type ApplyEggResponse,
  type CreateAllocationsRequest,
  type CreateDatabaseResponse,
  type CreateServerResponse,
  type CancelRunRequest,
  type CancelRunResponse,
  type DeleteAllocationRequest,
  type DeleteDatabaseHostRequest,
  type DeleteDatabaseHostResponse,
  type DeleteEggRequest,
  type DeleteNestRequest,
  type DeleteNodeRequest,
  type DeleteNodeVolumeRequest,
  type DeleteRegistryRequest,
  type DeleteScheduleRequest,
  type DeleteSubuserRequest,
  type DeleteSubuserResponse,
  type DeleteSubuserRoleRequest,
  type Egg,
  EggApplication_Outcome,
  PowerAction,
  type Registry,
  type ResolveFeatureRequest,
  type ResolveFeatureResponse,
  type Schedule,
  type SendCommandRequest,
  type SendPowerActionRequest,
  type SetBackupLockRequest,
  type SetBackupLockResponse,
  type Subuser,
  type SubuserRole,
  type TransferServerRequest,
  type UpdateStartupRequest,
} from '@panel/protos/servers';

/** Calls about one server without properties. */
export function serverEvent(event: Extract<EventsWith<never>, `server:${string}`>) {
  return ({ serverId }: { readonly serverId: string }): ActivityEvent => ({ event, serverId });
}

type Named = { readonly id: string; readonly name: string } | undefined;

export function nestEvent(event: 'nest:create' | 'nest:update') {
  return (_: unknown, { nest }: { readonly nest?: Named }): ActivityEvent => ({ event, properties: named(nest) });
}

export function eggEvent(event: 'egg:create' | 'egg:update' | 'egg:import') {
  return (_: unknown, { egg }: { readonly egg?: Egg | undefined }): ActivityEvent => {
    return { event, properties: { id: egg?.id ?? '', name: egg?.spec?.name ?? '' } };
  };
}

export function nestDeletedEvent({ nestId }: DeleteNestRequest): ActivityEvent {
  return { event: 'nest:delete', properties: { id: nestId } };
}

export function eggDeletedEvent({ eggId }: DeleteEggRequest): ActivityEvent {
  return { event: 'egg:delete', properties: { id: eggId } };
}

/** A preview is not recorded. */
export function eggAppliedEvent(
  { eggId, isPreview }: ApplyEggRequest,
  { servers }: ApplyEggResponse,
): ActivityEvent | null {
  if (isPreview) return null;
  const changed = servers.filter(({ outcome }) => outcome === EggApplication_Outcome.CHANGED);
  return { event: 'egg:apply', properties: { id: eggId, servers: String(changed.length) } };
}

export function nodeEvent(event: 'node:create' | 'node:update') {
  return (_: unknown, { node }: { readonly node?: Named }): ActivityEvent => ({ event, properties: named(node) });
}

function named(thing: Named) {
  return { id: thing?.id ?? '', name: thing?.name ?? '' };
}

export function nodeDeletedEvent({ nodeId }: DeleteNodeRequest): ActivityEvent {
  return { event: 'node:delete', properties: { id: nodeId } };
}

export function nodeFilesAcceptedEvent({ nodeId }: AcceptNodeFilesRequest): ActivityEvent {
  return { event: 'node:files.accept', properties: { id: nodeId } };
}

export function nodeVolumeDeletedEvent({ nodeId, serverId }: DeleteNodeVolumeRequest): ActivityEvent {
  return { event: 'node:volume.delete', properties: { id: nodeId, server_id: serverId } };
}

export function allocationDeletedEvent({ nodeId, allocationId }: DeleteAllocationRequest): ActivityEvent {
  return { event: 'allocation:delete', properties: { id: allocationId, node_id: nodeId } };
}

export function serverCreatedEvent(_: unknown, { server }: CreateServerResponse): ActivityEvent {
  return { event: 'server:create', serverId: server?.id ?? '', properties: { name: server?.name ?? '' } };
}

export function powerActionEvent({ serverId, action }: SendPowerActionRequest): ActivityEvent | null {
  const name = wordOf(PowerAction, action);
  return name === null ? null : { event: `server:power.${name}`, serverId };
}

export function commandEvent({ serverId, command }: SendCommandRequest): ActivityEvent {
  return { event: 'server:console.command', serverId, properties: { command } };
}

export function backupEvent(event: EventsWith<'backup_id'>) {
  return ({ serverId, backupId }: { readonly serverId: string; readonly backupId: string }): ActivityEvent => {
    return { event, serverId, properties: { backup_id: backupId } };
  };
}

/** By the result: a call may toggle the lock. */
export function backupLockEvent(
  { serverId, backupId }: SetBackupLockRequest,
  { backup }: SetBackupLockResponse,
): ActivityEvent {
  const event = backup?.isLocked === true ? 'server:backup.lock' : 'server:backup.unlock';
  return { event, serverId, properties: { backup_id: backupId } };
}

/** Only names: values can be passwords. */
export function startupUpdatedEvent(request: UpdateStartupRequest): ActivityEvent {
  const { serverId, environment, dockerImage, startupCommand } = request;
  const properties = {
    variables: Object.keys(environment).join(' '),
    ...(dockerImage === undefined ? {} : { docker_image: dockerImage }),
    ...(startupCommand === undefined ? {} : { startup_command: startupCommand }),
  };
  return { event: 'server:startup.update', serverId, properties };
}

/** A token is a secret. */
export function featureEvent(
  { serverId, feature }: ResolveFeatureRequest,
  { server }: ResolveFeatureResponse,
): ActivityEvent {
  const properties = { feature, ...(feature === 'java_version' ? { docker_image: server?.dockerImage ?? '' } : {}) };
  return { event: 'server:feature.resolve', serverId, properties };
}

export function transferStartedEvent({ serverId, nodeId }: TransferServerRequest): ActivityEvent {
  return { event: 'server:transfer.start', serverId, properties: { node_id: nodeId } };
}

export function allocationsCreatedEvent({ nodeId, ip, ports }: CreateAllocationsRequest): ActivityEvent {
  return { event: 'allocation:create', properties: { node_id: nodeId, ip, ports: ports.join(' ') } };
}

export function scheduleEvent(event: EventsWith<'schedule_id' | 'name'>) {
  return (
    { serverId }: { readonly serverId: string },
    { schedule }: { readonly schedule?: Schedule | undefined },
  ): ActivityEvent => ({
    event,
    serverId,
    properties: { schedule_id: schedule?.id ?? '', name: schedule?.name ?? '' },
  });
}

/** Null: nothing was cancelled. */
export function runCancelledEvent(request: CancelRunRequest, response: CancelRunResponse): ActivityEvent | null {
  return response.cancelled ? scheduleEvent('server:schedule.cancel')(request, response) : null;
}

export function scheduleDeletedEvent({ serverId, scheduleId }: DeleteScheduleRequest): ActivityEvent {
  return { event: 'server:schedule.delete', serverId, properties: { schedule_id: scheduleId } };
}

export function subuserEvent(event: 'server:subuser.create' | 'server:subuser.update') {
  return (
    { serverId }: { readonly serverId: string },
    { subuser }: { readonly subuser?: Subuser | undefined },
  ): ActivityEvent => {
    const { id = '', email = '', permissions = [], role } = subuser ?? {};
    const granted = role ? { role: role.name } : { permissions: permissions.join(' ') };
    return { event, serverId, properties: { id, email, ...granted } };
  };
}

export function subuserDeletedEvent(
  { serverId, subuserId, withInvited }: DeleteSubuserRequest,
  { invitedIds, schedulesCount }: DeleteSubuserResponse,
): ActivityEvent {
  const invited = invitedIds.length > 0 && { [withInvited ? 'removed_invited' : 'left_invited']: invitedIds.join(' ') };
  const left = schedulesCount > 0 && { left_schedules: String(schedulesCount) };
  return { event: 'server:subuser.delete', serverId, properties: { id: subuserId, ...invited, ...left } };
}

export function subuserRoleEvent(event: EventsWith<'id' | 'name' | 'permissions'>) {
  return (
    { serverId }: { readonly serverId: string },
    { role }: { readonly role?: SubuserRole | undefined },
  ): ActivityEvent => {
    const permissions = (role?.permissions ?? []).join(' ');
    return { event, serverId, properties: { ...named(role), permissions } };
  };
}

export function subuserRoleDeletedEvent({ serverId, roleId }: DeleteSubuserRoleRequest): ActivityEvent {
  return { event: 'server:subuser-role.delete', serverId, properties: { id: roleId } };
}

export function databaseCreatedEvent(
  { serverId }: { readonly serverId: string },
  { database }: CreateDatabaseResponse,
): ActivityEvent {
  const properties = { id: database?.id ?? '', name: database?.name ?? '' };
  return { event: 'server:database.create', serverId, properties };
}

export function databaseEvent(event: Extract<EventsWith<'id'>, `server:database.${string}`>) {
  return ({ serverId, databaseId }: { readonly serverId: string; readonly databaseId: string }): ActivityEvent => {
    return { event, serverId, properties: { id: databaseId } };
  };
}

export function databaseHostEvent(event: 'database-host:create' | 'database-host:update') {
  return (_: unknown, { host }: { readonly host?: Named }): ActivityEvent => ({ event, properties: named(host) });
}

export function databaseHostDeletedEvent(
  { hostId }: DeleteDatabaseHostRequest,
  { forgottenDatabasesCount: count }: DeleteDatabaseHostResponse,
): ActivityEvent {
  return {
    event: 'database-host:delete',
    properties: { id: hostId, ...(count > 0 && { databases: String(count) }) },
  };
}

export function registryEvent(event: 'registry:create' | 'registry:update') {
  return (_: unknown, { registry }: { readonly registry?: Registry | undefined }): ActivityEvent => {
    return { event, properties: { id: registry?.id ?? '', host: registry?.host ?? '' } };
  };
}

export function registryDeletedEvent({ registryId }: DeleteRegistryRequest): ActivityEvent {
  return { event: 'registry:delete', properties: { id: registryId } };
}
