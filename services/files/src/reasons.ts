import { defineReasons } from '@panel/kit/errors';

/** Why files refuses. */
export const fail = defineReasons({
  VOLUME_NOT_FOUND: 'not_found',
  FILE_NOT_FOUND: 'not_found',
  NOT_A_DIRECTORY: 'failed_precondition',
  /** A directory, a pipe, a device or a socket where a regular file is needed. */
  NOT_A_FILE: 'failed_precondition',
  /** Two names on disk have the same display form. */
  NAME_AMBIGUOUS: 'failed_precondition',
  /** The server is being transferred: its files must not change any more. */
  SERVER_LOCKED: 'failed_precondition',
  /** A freeze that should be extended has ended. */
  VOLUME_THAWED: 'aborted',
  /** On the egg's denylist. */
  FILE_DENIED: 'permission_denied',
  /** The path rules of the caller do not allow it. */
  PATH_FORBIDDEN: 'permission_denied',
  /** A symbolic link that leads out of the server's directory, or in circles. */
  LINK_REFUSED: 'permission_denied',
  /** The operating system does not let this process at the file. */
  FILE_INACCESSIBLE: 'permission_denied',
  /** The grant is for another kind of work. */
  GRANT_INSUFFICIENT: 'permission_denied',
  /** Bytes that are no SFTP packet. */
  SFTP_MALFORMED: 'invalid_argument',
  SFTP_HANDLE_UNKNOWN: 'failed_precondition',
  /** The user lacks a right on this server. `metadata.permission`. */
  PERMISSION_MISSING: 'permission_denied',
  FILE_EXISTS: 'already_exists',
  DIRECTORY_NOT_EMPTY: 'failed_precondition',
  /** The file is not the one the caller has seen. */
  FILE_CHANGED: 'aborted',
  /** The sender stopped before it said that this was all. */
  UPLOAD_INCOMPLETE: 'aborted',
  /** The server's own limit, not the node's disk. */
  DISK_LIMIT: 'resource_exhausted',
  /** Larger than the node takes in one go. `metadata.limitBytes`. */
  UPLOAD_TOO_LARGE: 'resource_exhausted',
  DISK_FULL: 'resource_exhausted',
  /** Less free space on the node than the configured floor. `metadata.free_bytes`, `min_free_bytes`. */
  NODE_DISK_LOW: 'resource_exhausted',
  BUSY: 'unavailable',
  /** The directory is no longer the one of the start: its disk was unmounted or replaced. */
  DATA_ROOT_GONE: 'unavailable',
  /** Something in the volume that a transfer cannot carry. */
  TREE_UNSUPPORTED: 'failed_precondition',
  /** The server has a volume here that this transfer has not made. */
  VOLUME_EXISTS: 'already_exists',
  /** What arrived is not what the source has. */
  TREE_MISMATCH: 'aborted',
  /** The transfer was discarded permanently. */
  TRANSFER_DISCARDED: 'failed_precondition',
  /** Another transfer of the server is arriving. */
  TRANSFER_IN_PROGRESS: 'failed_precondition',
  /** The node has less room than the volume takes. */
  INSUFFICIENT_DISK: 'resource_exhausted',
  /** What arrives and the volumes are on two file systems, so nothing can go from one to the other in one step. */
  DATA_ROOT_CROSS_DEVICE: 'failed_precondition',
  SOURCE_UNAVAILABLE: 'unavailable',
  /** The source sent what no files service sends. */
  SOURCE_INVALID: 'failed_precondition',
  /** No archive, or a damaged, truncated or encrypted one. */
  ARCHIVE_INVALID: 'failed_precondition',
  /** An entry that leads out of its directory or through a link, or is a device. `metadata.entry`. */
  ARCHIVE_UNSAFE: 'failed_precondition',
  /** Too many entries, or a compression ratio as only archive bombs have. `metadata.limit`. */
  ARCHIVE_LIMIT: 'failed_precondition',
  ARCHIVE_TOOL_MISSING: 'failed_precondition',
  /** Not http(s), with credentials, or leading to an address that is not public. */
  URL_REFUSED: 'failed_precondition',
  /** The other server failed, or refused with `metadata.status`. */
  DOWNLOAD_FAILED: 'failed_precondition',
  TRASH_NOT_FOUND: 'not_found',
  /** Unknown, expired, or used already. */
  DOWNLOAD_LINK_INVALID: 'not_found',
  /** None that this service has signed. */
  ADDRESS_INVALID: 'not_found',
  RANGE_NOT_SATISFIABLE: 'invalid_argument',
  CLIENT_GONE: 'cancelled',
  VERSION_NOT_FOUND: 'not_found',
  /** Unknown, expired, or on another node. */
  UPLOAD_NOT_FOUND: 'not_found',
  /** No request of the tus protocol. `metadata.status`, 400 or 412. */
  UPLOAD_REQUEST_INVALID: 'invalid_argument',
  /** The piece does not begin where the last one ended. `metadata.offsetBytes`. */
  UPLOAD_OFFSET_MISMATCH: 'aborted',
  /** Too many unfinished uploads of the server. `metadata.limit`. */
  UPLOAD_LIMIT: 'resource_exhausted',
  OPERATION_NOT_FOUND: 'not_found',
  /** Too many operations of the server, or the node, are running. `metadata.limit`. */
  OPERATION_LIMIT: 'resource_exhausted',
  OPERATION_CANCELLED: 'cancelled',
  BACKUP_NOT_FOUND: 'not_found',
  /** The limit of the server is used up. `metadata.limit`. */
  BACKUP_LIMIT: 'resource_exhausted',
  /** Pending or failed. */
  BACKUP_NOT_COMPLETED: 'failed_precondition',
  BACKUP_LOCKED: 'failed_precondition',
  /** It is being downloaded or restored. */
  BACKUP_IN_USE: 'failed_precondition',
  /** What is stored is not what was written. */
  BACKUP_DAMAGED: 'failed_precondition',
  /** Its bytes are gone from their storage. */
  BACKUP_MISSING: 'failed_precondition',
  /** Its run has lost its worker. */
  BACKUP_INTERRUPTED: 'aborted',
  BACKUP_CANCELLED: 'cancelled',
  BACKUP_TOOL_FAILED: 'failed_precondition',
  BACKUP_TOOL_MISSING: 'failed_precondition',
  /** The bucket or repository refuses, or cannot be reached; or the bytes lie on another node. */
  STORAGE_UNAVAILABLE: 'unavailable',
});
