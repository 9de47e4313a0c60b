import { z } from 'zod';
import { challenge } from '../auth/schema.js';

export const browserSession = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('seconds until the access token expires'),
  })
  .meta({ id: 'BrowserSession' });

export const browserLoginResponse = z.union([browserSession, challenge]);
