import { invalidFields } from '@panel/kit/errors';

/** Beside the owner's name or address. */
const minOtherCharacters = 6;
/** Shorter names occur by chance. */
const minNameLength = 4;

interface PasswordOwner {
  readonly email: string;
  readonly username: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** Common, or made of the owner's name or address: throws INVALID_FIELDS (password). */
export function requireStrongPassword(password: string, owner: PasswordOwner, common: ReadonlySet<string>): void {
  const message = weakness(password, owner, common);
  if (message !== null) throw invalidFields({ password: [message] });
}

/** For a password of valid length; null: strong. `common` is in lower case. */
export function weakness(password: string, owner: PasswordOwner, common: ReadonlySet<string>): string | null {
  const plain = password.normalize('NFKC').toLowerCase();
  if (isCommon(plain, common)) return 'is one of the most common passwords';
  if (new Set(plain).size < 4) return 'must have at least 4 different characters';
  if (isMostlyName(plain, owner)) return 'must not be made of your name or e-mail address';
  return null;
}

/** Also with a few or common digits and signs around it, which guessing programs try first. */
function isCommon(plain: string, common: ReadonlySet<string>): boolean {
  const core = plain.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (common.has(plain)) return true;
  if (core.length < 6 || !common.has(core)) return false;
  const added = plain.replace(core, '');
  return added.length <= 4 || common.has(added.replace(/[^\p{L}\p{N}]/gu, ''));
}

function isMostlyName(plain: string, { email, username, firstName = '', lastName = '' }: PasswordOwner): boolean {
  const names = [email, email.slice(0, email.lastIndexOf('@')), username, firstName, lastName]
    .map((name) => name.normalize('NFKC').toLowerCase())
    .filter((name) => name.length >= minNameLength)
    .sort((one, other) => other.length - one.length);
  const rest = names.reduce((text, name) => text.replaceAll(name, ''), plain);
  return rest.length < plain.length && rest.length < minOtherCharacters;
}
