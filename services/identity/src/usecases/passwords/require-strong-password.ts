import { invalidFields } from '@panel/kit/errors';
import type { IdentityContext } from '../../context.js';
import { type PasswordOwner, weakness } from '../../domain/password-strength.js';

/** Throws INVALID_FIELDS (password) for a common password, or one made of its owner's name or address. */
export function requireStrongPassword(context: IdentityContext, password: string, owner: PasswordOwner): void {
  const message = weakness(password, owner, context.commonPasswords);
  if (message !== null) throw invalidFields({ password: [message] });
}
