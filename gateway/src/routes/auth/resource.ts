import { type LoginResponse, TokenSet, TwoFactorChallenge } from '@panel/protos/identity';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';

export const loginBody = z.strictObject({
  email: z.string().min(1).max(320),
  password: z.string().min(1).max(1024),
});

export const refreshBody = z.strictObject({ refresh_token: z.string().min(1).max(4096) });

const secondFactor = {
  code: z.string().regex(/^\d{6}$/, 'must be six digits'),
  recovery_code: z.string().min(1).max(64),
};

/** Exactly one: code or recovery code. */
function hasOneProof(body: { code?: string | undefined; recovery_code?: string | undefined }): boolean {
  return (body.code === undefined) !== (body.recovery_code === undefined);
}

const proofMessage = {
  message: 'is required without recovery_code, and cannot be given with it',
  path: ['code'],
  params: { reason: 'conflicting' },
  when: always,
};

export const verifyTwoFactorBody = z
  .strictObject({ token: z.string().min(1).max(4096), ...partial(secondFactor) })
  .refine(hasOneProof, proofMessage);

export const disableTwoFactorBody = z
  .strictObject({ password: z.string().min(1).max(1024), ...partial(secondFactor) })
  .refine(hasOneProof, proofMessage);

function partial(shape: typeof secondFactor) {
  return { code: shape.code.optional(), recovery_code: shape.recovery_code.optional().describe('instead of `code`') };
}

/** The schema guarantees exactly one. */
export function secondFactorProof(body: { code?: string | undefined; recovery_code?: string | undefined }) {
  return body.code === undefined
    ? { $case: 'recoveryCode' as const, value: body.recovery_code ?? '' }
    : { $case: 'code' as const, value: body.code };
}

export const forgotPasswordBody = z.strictObject({ email: z.string().min(1).max(320) });

export const resetPasswordBody = z.strictObject({
  token: z.string().min(1).max(4096),
  password: z.string().min(1).max(1024),
});

export const accepted = z.strictObject({ accepted: z.boolean() }).meta({ id: 'Accepted' });

export const tokenSet = resource(TokenSet, 'TokenSet', {
  access_token: is.text('accessToken'),
  refresh_token: is.text('refreshToken'),
  token_type: is.computed(z.literal('Bearer'), () => 'Bearer' as const),
  expires_in: is.int('expiresInSeconds', 'seconds until the access token expires'),
});

export const challenge = resource(TwoFactorChallenge, 'TwoFactorChallenge', {
  requires_2fa: is.computed(z.literal(true), () => true as const),
  token: is.text('token', 'send it to /auth/2fa/verify within 5 minutes'),
});

export const loginResponse = z.union([tokenSet.schema, challenge.schema]);

export function presentLogin({ result }: LoginResponse): z.input<typeof loginResponse> {
  return result?.$case === 'challenge' ? challenge.present(result.value) : tokenSet.present(result?.value);
}
