import { z } from 'zod';

export const loginBody = z.strictObject({
  email: z.string().min(1).max(320),
  password: z.string().min(1).max(1024),
});

export const refreshBody = z.strictObject({ refresh_token: z.string().min(1).max(4096) });

const secondFactor = {
  code: z.string().regex(/^\d{6}$/, 'must be six digits'),
  recovery_code: z.string().min(1).max(64),
};

/** Exactly one proof of the second factor: a code of the app, or a recovery code. */
function hasOneProof(body: { code?: string | undefined; recovery_code?: string | undefined }): boolean {
  return (body.code === undefined) !== (body.recovery_code === undefined);
}

const proofMessage = { message: 'is required without recovery_code, and cannot be given with it', path: ['code'] };

export const verifyTwoFactorBody = z
  .strictObject({ token: z.string().min(1).max(4096), ...partial(secondFactor) })
  .refine(hasOneProof, proofMessage);

export const disableTwoFactorBody = z
  .strictObject({ password: z.string().min(1).max(1024), ...partial(secondFactor) })
  .refine(hasOneProof, proofMessage);

function partial(shape: typeof secondFactor) {
  return { code: shape.code.optional(), recovery_code: shape.recovery_code.optional().describe('instead of `code`') };
}

export const forgotPasswordBody = z.strictObject({ email: z.string().min(1).max(320) });

export const resetPasswordBody = z.strictObject({
  token: z.string().min(1).max(4096),
  password: z.string().min(1).max(1024),
});

export const accepted = z.strictObject({ accepted: z.boolean() }).meta({ id: 'Accepted' });

export const tokenSet = z
  .strictObject({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('seconds until the access token expires'),
  })
  .meta({ id: 'TokenSet' });

export const challenge = z
  .strictObject({
    requires_2fa: z.literal(true),
    token: z.string().describe('send it to /auth/2fa/verify within 5 minutes'),
  })
  .meta({ id: 'TwoFactorChallenge' });

export const loginResponse = z.union([tokenSet, challenge]);
