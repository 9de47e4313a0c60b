import { z } from 'zod';

export const loginBody = z.strictObject({
  email: z.string().min(1).max(320),
  password: z.string().min(1).max(1024),
});

export const refreshBody = z.strictObject({ refresh_token: z.string().min(1).max(4096) });

export const tokenSet = z.strictObject({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('seconds until the access token expires'),
});

export const challenge = z.strictObject({
  requires_2fa: z.literal(true),
  token: z.string().describe('send it to /auth/2fa/verify within 5 minutes'),
});

export const loginAnswer = z.union([tokenSet, challenge]);
