import { AppError, isAppError } from '@panel/kit/errors';
import type { CallOptions } from '@panel/rpc';
import type { SendCommandRequest } from '@panel/protos/servers';
import { z } from 'zod';
import type { QuotaState } from '../../limits/rules.js';
import type { Services } from '../../services.js';

/** In the metadata of a failure after the count. */
const failedQuota = z.object({ limit: z.number(), used: z.number(), resetsAt: z.number() });

/** The servers service decides access and counts, in this call. `onQuota` also runs before a counted command fails. */
export async function sendCommand(
  { console }: Pick<Services, 'console'>,
  request: SendCommandRequest,
  rpc: CallOptions,
  onQuota: (quota: QuotaState) => void,
): Promise<void> {
  try {
    const { quota } = await console.sendCommand(request, rpc);
    if (quota?.resetTime) onQuota({ ...quota, resetsAt: quota.resetTime.getTime() });
  } catch (error) {
    if (!isAppError(error) || error.metadata['quota'] === undefined) throw error;
    const { quota, ...metadata } = error.metadata;
    onQuota(failedQuota.parse(quota));
    // Details of responses show the metadata.
    throw new AppError(error.kind, error.reason, error.message, metadata, { cause: error });
  }
}
