import { defineReasons } from '@panel/kit/errors';

/** What the servers service can fail with, beside the reasons of the runtime drivers (runtime/reasons.ts). */
export const fail = defineReasons({
  /** A file that cannot be read at all. */
  BAD_REQUEST: 'invalid_argument',
  NEST_NOT_FOUND: 'not_found',
  NEST_NAME_TAKEN: 'already_exists',
  NEST_IN_USE: 'failed_precondition',
  EGG_NOT_FOUND: 'not_found',
  /** `metadata.servers` or `metadata.products` names them. */
  EGG_IN_USE: 'failed_precondition',
  /** It is unknown whether a product sells the egg, so that it cannot be deleted. */
  BILLING_UNREACHABLE: 'unavailable',
  NODE_NOT_FOUND: 'not_found',
  NODE_NAME_TAKEN: 'already_exists',
  /** Another node is the same machine. `metadata`: node_id, node. */
  NODE_EXISTS: 'already_exists',
  NODE_IN_USE: 'failed_precondition',
  NODE_MAINTENANCE: 'failed_precondition',
  /** Something there would keep a server from being installed. `metadata`: node_id, problem. */
  NODE_NOT_READY: 'failed_precondition',
  /** `metadata.taken`: "ip:port" of each, at most 50. */
  ALLOCATION_EXISTS: 'already_exists',
  /** A repetition of the same creation is not done; trying again in a moment gives what it has made. */
  CREATION_IN_PROGRESS: 'aborted',
  ALLOCATION_NOT_FOUND: 'not_found',
  ALLOCATION_IN_USE: 'failed_precondition',
  /** At creation: another server was faster. `metadata`: allocation_id. */
  ALLOCATION_TAKEN: 'already_exists',
  /** `metadata.resource`: memory, disk or cpu. */
  NODE_CAPACITY: 'resource_exhausted',
  NO_NODE_FITS: 'resource_exhausted',
  EXTERNAL_ID_TAKEN: 'already_exists',
  ALLOCATION_PRIMARY: 'failed_precondition',
  /** The server's own limit. */
  ALLOCATION_LIMIT: 'resource_exhausted',
  NO_FREE_ALLOCATION: 'resource_exhausted',
  DATABASE_NOT_FOUND: 'not_found',
  DATABASE_NAME_TAKEN: 'already_exists',
  /** The host has a database of this name that the panel did not make. */
  DATABASE_EXISTS_ON_HOST: 'already_exists',
  /** The server's own limit. */
  DATABASE_LIMIT: 'resource_exhausted',
  /** It is being created or deleted. */
  DATABASE_LOCKED: 'failed_precondition',
  /** No host serves the node of the server. */
  NO_DATABASE_HOST: 'failed_precondition',
  /** All hosts that serve the node have as many databases as they may. */
  DATABASE_HOST_FULL: 'resource_exhausted',
  DATABASE_HOST_NOT_FOUND: 'not_found',
  DATABASE_HOST_NAME_TAKEN: 'already_exists',
  /** `metadata`: databases_count, servers_count. */
  DATABASE_HOST_IN_USE: 'failed_precondition',
  /** It does not answer, or does not let the panel in. */
  DATABASE_HOST_UNREACHABLE: 'unavailable',
  /** It answered a statement of the panel with an error. */
  DATABASE_HOST_REFUSED: 'unavailable',
  /** `metadata`: limit_bytes. */
  DATABASE_DUMP_LIMIT: 'resource_exhausted',
  /** Other dumps are running; trying again later may succeed. */
  DATABASE_DUMP_BUSY: 'resource_exhausted',
  /** `metadata.output`: what the host or the program said last, or which time limit ended the dump. */
  DATABASE_DUMP_FAILED: 'failed_precondition',
  REGISTRY_NOT_FOUND: 'not_found',
  /** For the same host and egg. */
  REGISTRY_EXISTS: 'already_exists',
  /** `metadata`: limit. */
  REGISTRY_LIMIT: 'resource_exhausted',
  /** Something else changed the server at the same time; trying again may succeed. */
  SERVER_CHANGED: 'aborted',
  /** The egg of the server does not declare it. */
  FEATURE_NOT_OFFERED: 'failed_precondition',
  FEATURE_FAILED: 'failed_precondition',
  /** Unknown, of another server, or not among the last ones. */
  OPERATION_NOT_FOUND: 'not_found',
  POWER_OPERATION_NOT_FOUND: 'not_found',
  SERVER_NOT_FOUND: 'not_found',
  /** `metadata.permission`: what the caller lacks on this server. */
  SERVER_FORBIDDEN: 'permission_denied',
  SERVER_LOCKED: 'failed_precondition',
  SERVER_SUSPENDED: 'failed_precondition',
  SERVER_OFFLINE: 'failed_precondition',
  ALREADY_RUNNING: 'failed_precondition',
  ALREADY_OFFLINE: 'failed_precondition',
  /** The installation failed: there is nothing to start until it is done again. */
  INSTALL_FAILED: 'failed_precondition',
  INSTALL_SCRIPT_FAILED: 'failed_precondition',
  DISK_FULL: 'failed_precondition',
  /** What a requested start needs did not answer within START_TIMEOUT. */
  START_TIMED_OUT: 'deadline_exceeded',
  /** The name of a files service resolves to an address that the configuration does not allow. */
  FILES_ADDRESS_FORBIDDEN: 'unavailable',
  /** The target of a transfer has no room for the files. `metadata`: required_bytes, free_bytes. */
  NODE_DISK_FULL: 'resource_exhausted',
  /** Files cannot be adopted: a server has this id. */
  SERVER_EXISTS: 'already_exists',
  /** An installed server without a directory on its node: its disk is not mounted, or the files are lost. */
  VOLUME_MISSING: 'failed_precondition',
  /** Files that a server of the node, its transfer or a game needs. */
  VOLUME_IN_USE: 'failed_precondition',
  /** The target still has files of an earlier transfer of the same server. */
  TRANSFER_CLEANUP_PENDING: 'failed_precondition',
  /** There is no deletion to take back, or it has begun to remove. */
  NO_DELETION: 'failed_precondition',
  /** The node does not answer: a restore of its server is onto another node. */
  NODE_GONE: 'failed_precondition',
  /** The files of a server whose node answers are moved, not taken from a backup. */
  NODE_ANSWERS: 'failed_precondition',
  /** The backup is on the disk of another node, or in a bucket or repository of others. */
  BACKUP_OUT_OF_REACH: 'failed_precondition',
  /** There is no transfer to end. */
  NO_TRANSFER: 'failed_precondition',
  /** It would never end: the files change while they are copied, or its workers die. */
  TRANSFER_UNSTABLE: 'failed_precondition',
  /** What was reserved on the target is not, or no longer, there. */
  RESERVATION_LOST: 'failed_precondition',
  /** Inside a transfer: the next try may meet better times. */
  TARGET_TIMEOUT: 'unavailable',
  FILES_CHANGED: 'aborted',
  GAME_STILL_RUNS: 'aborted',
  /** The replica that watches the node cannot be reached now. */
  NODE_NOT_WATCHED: 'unavailable',
  SCHEDULE_NOT_FOUND: 'not_found',
  /** The server has as many schedules as it may have. */
  SCHEDULE_LIMIT: 'resource_exhausted',
  /** A run of this schedule is in progress, or has just started. */
  SCHEDULE_RUNNING: 'failed_precondition',
  /** There is nothing to execute. */
  SCHEDULE_EMPTY: 'failed_precondition',
  /** The schedule was changed at the same time; trying again may succeed. */
  SCHEDULE_CHANGED: 'aborted',
  /** Inside a run: the limit of the server that a task shares with the API is used up. */
  SERVER_RATE_LIMITED: 'resource_exhausted',
  /** Inside a run: a task did not end in time. */
  TASK_TIMEOUT: 'deadline_exceeded',
  /** A newer version of the service has started this operation. `metadata`: kind. */
  OPERATION_UNKNOWN: 'internal',
  SUBUSER_NOT_FOUND: 'not_found',
  SUBUSER_EXISTS: 'already_exists',
  /** The address is the owner's. */
  SUBUSER_IS_OWNER: 'already_exists',
  SUBUSER_LIMIT: 'resource_exhausted',
  /** `metadata.permissions`: what the caller lacks. */
  SUBUSER_EXCEEDS_OWN: 'permission_denied',
  SUBUSER_IS_CALLER: 'permission_denied',
  /** Owner and staff have no access that they could give up. */
  SUBUSER_REQUIRED: 'failed_precondition',
  SUBUSER_ROLE_NOT_FOUND: 'not_found',
  SUBUSER_ROLE_EXISTS: 'already_exists',
  SUBUSER_ROLE_LIMIT: 'resource_exhausted',
  SUBUSER_ROLE_IN_USE: 'failed_precondition',
  /** `metadata.retryAfterSeconds`. */
  RATE_LIMIT_EXCEEDED: 'resource_exhausted',
  /** Backups are begun too often. `metadata`: limit, retryAfterSeconds. */
  BACKUP_RATE_LIMIT: 'resource_exhausted',
  /** Pending or failed. */
  BACKUP_NOT_COMPLETED: 'failed_precondition',
  BACKUP_WITHOUT_DATABASES: 'failed_precondition',
  /** No deleted server has left it. */
  BACKUP_NOT_FOUND: 'not_found',
  /** A restore needs a server that is offline. */
  SERVER_RUNNING: 'failed_precondition',
  /** Another worker has taken over what this one was doing. */
  LEASE_LOST: 'aborted',
});
