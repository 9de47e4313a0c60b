import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { makeTotpSecret, otpauthUrl } from '../../crypto/totp.js';
import { checkCurrentPassword } from '../../domain/current-password.js';
import { callerWithRole } from '../../domain/rights.js';
import { secretPlace } from '../../domain/second-factor.js';
import { fail } from '../../reasons.js';
import QRCode from 'qrcode';

export function beginTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.beginTwoFactor> {
  return async ({ password }, { actor, signal }) => {
    const { user } = await callerWithRole(context, requireUser(actor).userId);
    await checkCurrentPassword(context, user, password, signal);
    const secret = makeTotpSecret();
    const sealed = context.box.seal(secret, secretPlace(user._id));
    if (!(await context.twoFactor.begin(user._id, sealed, context.clock())))
      throw fail('TWO_FACTOR_ENABLED', 'two-factor authentication is on already');
    const url = otpauthUrl({ secret, account: user.email, issuer: context.policy.current().panelName });
    const svg = await QRCode.toString(url, { type: 'svg' });
    const qrCode = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
    return { secret, otpauthUrl: url, qrCode };
  };
}
