import type { Upload } from '@panel/protos/files';
import { z } from 'zod';
import { isoTimeOf, time } from '../../declaration/present.js';

export const upload = z
  .strictObject({
    id: z.uuid(),
    path: z.string(),
    size: z.int().describe('bytes'),
    offset: z.int().describe('bytes that have arrived'),
    overwrite: z.boolean(),
    completed: z.boolean().describe('the file is in its place'),
    created_at: time,
    expires_at: time.describe('when it is removed unless another piece arrives'),
  })
  .meta({ id: 'Upload' });

export function presentUpload(message: Upload): z.input<typeof upload> {
  return {
    id: message.uploadId,
    path: message.path,
    size: message.sizeBytes,
    offset: message.offsetBytes,
    overwrite: message.overwrite,
    completed: message.isCompleted,
    created_at: isoTimeOf(message.createTime),
    expires_at: isoTimeOf(message.expireTime),
  };
}
