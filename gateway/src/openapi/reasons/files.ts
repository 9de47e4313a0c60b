import type { GeneralReason } from './general.js';
import { badRequest, conflict, type EndpointReasons, forbidden, type ReasonEntries, retry } from './reason.js';
import type { SharedReason } from './shared.js';

/** Reasons of files and backups. */
export const fileReasons = {
  upload_too_large: badRequest('larger than the node takes in one go (`limit_bytes`)', 'send a smaller file'),
  file_denied: forbidden('the egg denies this file', 'leave it as it is'),
  path_forbidden: forbidden('the path rules of the caller do not include this file', 'ask the owner for access'),
  link_refused: forbidden('a symbolic link leads out of the files, or in circles', 'delete or mend the link'),
  file_inaccessible: forbidden('the node may not read or change the file', 'tell the operator'),
  name_ambiguous: conflict('two names on disk look the same', 'rename one of them over SFTP'),
  not_a_file: conflict('a directory or a device, where a file is needed', 'name a file'),
  not_a_directory: conflict('a file, where a directory is needed', 'name a directory'),
  file_exists: conflict('there is something of this name', 'take another name, or say that it may be replaced'),
  file_changed: conflict('the file is not the one that was seen', 'read it again, then repeat'),
  tree_moved: conflict('a directory was moved meanwhile', retry),
  tree_unsupported: conflict('a path is too long, or a directory has too many names', 'work on a part of it'),
  disk_limit: conflict('the disk limit of the server is reached', 'delete something'),
  disk_full: conflict('the disk of the node is full', 'tell the operator'),
  node_disk_low: conflict('the node has too little free space', 'tell the operator'),
  upload_incomplete: conflict('some of the bytes have not arrived', 'send the file again'),
  upload_limit: conflict('the server has too many unfinished uploads (`limit`)', 'end some of them'),
  upload_offset_mismatch: conflict(
    'the piece does not begin where the last one ended (`offset_bytes`)',
    'ask how much has arrived, and go on there',
  ),
  operation_limit: conflict('too many operations are running (`limit`)', 'wait until one has ended'),
  archive_invalid: conflict('the archive cannot be made or read', 'leave out what the message names'),
  archive_tool_missing: conflict('the node lacks the program for this format', 'take another format'),
  archive_unsafe: conflict(
    'an entry or link leads out of its directory, or is a device (`entry`)',
    'unpack it yourself',
  ),
  archive_limit: conflict('too many entries, or too much for its size (`limit`)', 'unpack it yourself'),
  url_refused: conflict('not http or https, or of an address that is not public', 'take another address'),
  download_failed: conflict('the other server failed, or refused (`status`)', 'look at the address, then repeat'),
  backup_limit: conflict('the server has as many backups as it may (`limit`)', 'delete one'),
  backup_not_completed: conflict('the backup is in progress, or has failed', 'wait, or take another'),
  backup_without_databases: conflict('the backup holds no databases', 'restore the files only'),
  backup_locked: conflict('the backup is locked', 'unlock it first'),
  backup_in_use: conflict('the backup is being downloaded or restored', 'wait until that has ended'),
  backup_missing: conflict('the bytes of the backup are gone from their storage', 'take another'),
  backup_damaged: conflict('what is stored is not what was written', 'take another'),
  backup_tool_failed: conflict('`tar` or restic has failed on the node', 'tell the operator'),
  backup_tool_missing: conflict('`tar` or restic is not installed on the node', 'tell the operator'),
  node_gone: conflict('the node does not answer', 'wait, or ask staff to restore elsewhere'),
  backup_out_of_reach: conflict('the node does not reach the backup', 'take another node or another backup'),
  server_running: conflict('a restore needs a server that is offline', 'stop the server first'),
} satisfies ReasonEntries;

export type FileReason = keyof typeof fileReasons;
type Name = FileReason | GeneralReason | SharedReason;

/** What every request about the files of a server may meet. */
const grant = ['server_locked', 'server_suspended'] as const;
const rules = ['file_denied', 'path_forbidden'] as const;
const path = [...grant, ...rules, 'link_refused', 'file_inaccessible', 'name_ambiguous'] as const;
const reads = [...path, 'not_a_file', 'not_a_directory'] as const;
const changes = [...reads, 'disk_full', 'tree_moved'] as const;
const grows = [...changes, 'disk_limit', 'node_disk_low'] as const;
const adds = [...grows, 'file_exists'] as const;
const writes = [...grows, 'file_changed', 'upload_incomplete', 'upload_too_large'] as const;
const packs = [...adds, 'operation_limit', 'archive_invalid', 'archive_tool_missing'] as const;
const readsBackup = [
  'backup_not_completed',
  'backup_missing',
  'backup_damaged',
  'backup_out_of_reach',
  'backup_tool_failed',
] as const;

const files = '/api/v1/servers/{id}/files';
const backups = '/api/v1/servers/{id}/backups';

export const fileEndpoints: EndpointReasons<Name> = {
  [`GET ${files}/list`]: reads,
  [`GET ${files}/contents`]: [...reads, 'file_changed'],
  [`PUT ${files}/write`]: writes,
  [`POST ${files}/create-directory`]: adds,
  [`POST ${files}/rename`]: [...changes, 'file_exists'],
  [`POST ${files}/copy`]: adds,
  [`POST ${files}/delete`]: changes,
  [`POST ${files}/compress`]: [...packs, 'tree_unsupported'],
  [`POST ${files}/decompress`]: [...packs, 'archive_unsafe', 'archive_limit'],
  [`POST ${files}/pull`]: [...adds, 'operation_limit', 'upload_too_large', 'url_refused', 'download_failed'],
  [`GET ${files}/operations`]: grant,
  [`GET ${files}/operations/{operation-id}`]: grant,
  [`POST ${files}/operations/{operation-id}/cancel`]: grant,
  [`POST ${files}/chmod`]: changes,
  [`GET ${files}/search`]: [...reads, 'tree_moved', 'tree_unsupported', 'operation_limit'],
  [`GET ${files}/trash`]: [...grant, ...rules],
  [`POST ${files}/trash/{trash-id}/restore`]: adds,
  [`DELETE ${files}/trash`]: changes,
  [`GET ${files}/versions`]: path,
  [`GET ${files}/versions/{version-id}`]: path,
  [`POST ${files}/versions/{version-id}/restore`]: writes,
  [`GET ${files}/download`]: reads,
  'GET /api/v1/downloads/{id}/{link-id}': [
    ...reads,
    'ip_not_allowed',
    'two_factor_required',
    'file_changed',
    'tree_moved',
    'tree_unsupported',
    'operation_limit',
    'archive_invalid',
    'archive_tool_missing',
  ],
  [`GET ${files}/uploads`]: [...grant, ...rules],
  [`POST ${files}/uploads`]: [...adds, 'file_changed', 'upload_too_large', 'upload_limit'],
  // A complete one that a crash left is put in its place.
  [`GET ${files}/uploads/{upload-id}`]: [...adds, 'file_changed'],
  [`PATCH ${files}/uploads/{upload-id}`]: [
    ...adds,
    'file_changed',
    'upload_too_large',
    'upload_incomplete',
    'upload_offset_mismatch',
  ],
  [`DELETE ${files}/uploads/{upload-id}`]: path,
  [`GET ${backups}`]: grant,
  [`GET ${backups}/{backup-id}`]: grant,
  [`GET ${backups}/{backup-id}/download`]: [...grant, ...readsBackup, 'backup_tool_missing', 'file_denied'],
  [`GET ${backups}/{backup-id}/files`]: [...grant, ...readsBackup, 'backup_tool_missing', 'file_denied'],
  [`POST ${backups}`]: [...grant, 'backup_limit'],
  [`POST ${backups}/{backup-id}/restore`]: [
    'node_gone',
    ...grant,
    'server_running',
    'backup_not_completed',
    'backup_without_databases',
    'backup_out_of_reach',
  ],
  [`DELETE ${backups}/{backup-id}`]: [...grant, 'backup_locked', 'backup_in_use'],
  [`POST ${backups}/{backup-id}/lock`]: grant,
  'GET /api/v1/admin/backups/{backup-id}/download': [...readsBackup, 'backup_tool_missing'],
  'DELETE /api/v1/admin/backups/{backup-id}': [...grant, 'backup_locked', 'backup_in_use'],
};
