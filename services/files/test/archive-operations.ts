import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { type FileOperation, FileOperation_State as State } from '@panel/protos/files';
import type { RunningFiles } from './harness.js';

interface Decompression {
  readonly grant: string;
  readonly path: string;
  readonly root?: string;
  readonly overwrite?: boolean;
}

export async function runDecompression(
  running: RunningFiles,
  serverId: string,
  { root = '', overwrite = false, ...more }: Decompression,
): Promise<FileOperation | undefined> {
  const { operation } = await running.files.decompressFile({ root, overwrite, ...more }, { timeoutMs: 60_000 });
  return endOfOperation(running, serverId, operation?.id ?? '');
}

/** Throws a failure after the response like one during the call. */
export async function endOfOperation(
  running: RunningFiles,
  serverId: string,
  operationId: string,
): Promise<FileOperation | undefined> {
  const grant = running.grant(serverId, 'file.read');
  const read = async () => (await running.files.getFileOperation({ grant, operationId })).operation;
  await waitUntil('the operation to end', async () => (await read())?.state !== State.RUNNING, 60_000);
  const ended = await read();
  if (ended?.state === State.FAILED) throw new AppError('failed_precondition', ended.errorReason, ended.errorMessage);
  return ended;
}
