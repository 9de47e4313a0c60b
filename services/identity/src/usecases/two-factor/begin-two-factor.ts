import QRCode from 'qrcode';
import type { IdentityContext } from '../../context.js';
import { generateTotpSecret, otpauthUrl } from '../../crypto/totp.js';
import { fail } from '../../reasons.js';
import { loadCaller } from '../authorization/authorization.js';
import { checkCurrentPassword } from '../passwords/check-current-password.js';
import { totpAad } from './verify-second-factor.js';

interface TwoFactorSetup {
  readonly secret: string;
  readonly otpauthUrl: string;
  /** SVG as a data: URL. */
  readonly qrCode: string;
}

/** Replaces a pending secret. Throws INVALID_FIELDS, TWO_FACTOR_ENABLED. */
export async function beginTwoFactor(
  context: IdentityContext,
  userId: string,
  password: string,
  signal: AbortSignal,
): Promise<TwoFactorSetup> {
  const { user } = await loadCaller(context, userId);
  await checkCurrentPassword(context, user, { field: 'password', password }, signal);
  const secret = generateTotpSecret();
  const sealed = context.box.seal(secret, totpAad(user.id));
  if (!(await context.twoFactor.begin(user.id, sealed, context.clock())))
    throw fail('TWO_FACTOR_ENABLED', 'two-factor authentication is on already');
  const url = otpauthUrl({ secret, account: user.email, issuer: context.policy.current().panelName });
  const svg = await QRCode.toString(url, { type: 'svg' });
  return { secret, otpauthUrl: url, qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}
