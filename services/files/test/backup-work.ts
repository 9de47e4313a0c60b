import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Backup, Backup_State, type BackupServiceService, type ReserveBackupRequest } from '@panel/protos/files';
import type { Client } from '@panel/rpc';
import type { RunningFiles } from './harness.js';

export async function serverWith(running: RunningFiles, files: Readonly<Record<string, string | Buffer>>) {
  const serverId = randomUUID();
  const { path: root } = await running.volumes.createVolume({ serverId });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return { serverId, root };
}

export async function reserve(
  backups: Client<BackupServiceService>,
  serverId: string,
  request: Partial<ReserveBackupRequest> = {},
): Promise<Backup> {
  const { backup } = await backups.reserveBackup({
    serverId,
    backupId: randomUUID(),
    name: '',
    ignoredFiles: [],
    limit: 10,
    rotate: false,
    databases: [],
    ...request,
  });
  if (!backup) throw new Error('no backup in the answer');
  await backups.confirmBackup({ serverId, backupId: backup.id });
  return backup;
}

export async function run(backups: Client<BackupServiceService>, { serverId, id }: Backup): Promise<Backup> {
  let end: Backup | undefined;
  for await (const { part } of backups.runBackup({ serverId, backupId: id })) {
    if (part?.$case === 'end') end = part.value;
  }
  if (!end) throw new Error('the run ended without its backup');
  return end;
}

export async function backUp(
  running: Pick<RunningFiles, 'backups'>,
  serverId: string,
  request: Partial<ReserveBackupRequest> = {},
): Promise<Backup> {
  const end = await run(running.backups, await reserve(running.backups, serverId, request));
  if (end.state !== Backup_State.COMPLETED) throw new Error(`${end.errorReason}: ${end.errorMessage}`);
  return end;
}

export async function restore(
  running: Pick<RunningFiles, 'backups'>,
  { serverId, id }: Backup,
  options: { truncate?: boolean; paths?: string[]; diskLimitBytes?: number; operationId?: string } = {},
): Promise<string[]> {
  const steps: string[] = [];
  const request = { truncate: false, paths: [], diskLimitBytes: 0, operationId: randomUUID(), ...options };
  for await (const { progress } of running.backups.restoreBackup({ serverId, backupId: id, ...request })) {
    if (progress) steps.push(progress.step);
  }
  return steps;
}

export async function download(
  running: RunningFiles,
  { serverId, id }: Backup,
  { offsetBytes = 0, limitBytes = 0 } = {},
): Promise<{ content: Buffer; totalBytes: number }> {
  const grant = running.grant(serverId, 'backup.download');
  const chunks: Buffer[] = [];
  let totalBytes = 0;
  for await (const { part } of running.backups.downloadBackup({ grant, backupId: id, offsetBytes, limitBytes })) {
    if (part?.$case === 'start') totalBytes = part.value.totalBytes;
    if (part?.$case === 'chunk') chunks.push(part.value);
  }
  return { content: Buffer.concat(chunks), totalBytes };
}
