import { z } from 'zod';
import { isBase64 } from '../http/base64.js';
import { always } from './refine.js';

/** A file inside JSON, which `UploadBody` holds decoded. */
export const uploadedContent = {
  content: z.string(),
  encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
};

export const base64Content = {
  check: ({ encoding, content }: { readonly encoding?: unknown; readonly content?: unknown }): boolean =>
    encoding !== 'base64' || typeof content !== 'string' || isBase64(content),
  problem: { message: 'is not base64', path: ['content'], when: always },
};
