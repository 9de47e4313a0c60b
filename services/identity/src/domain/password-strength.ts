import { invalidFields } from '@panel/kit/errors';

/** Characters that a password has beside the user's own name or address. */
const minOtherCharacters = 6;
/** Shorter names occur in passwords by chance. */
const minNameLength = 4;

/** Who chooses the password. */
interface PasswordOwner {
  readonly email: string;
  readonly username: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** Throws INVALID_FIELDS (password) for a common password, or one made of its owner's name or address. */
export function requireStrongPassword(password: string, owner: PasswordOwner, common: ReadonlySet<string>): void {
  const message = weakness(password, owner, common);
  if (message !== null) throw invalidFields({ password: [message] });
}

/** What is wrong with a password that has a permitted length; null when nothing is. `common` is in lower case. */
export function weakness(password: string, owner: PasswordOwner, common: ReadonlySet<string>): string | null {
  const plain = password.normalize('NFKC').toLowerCase();
  if (isCommon(plain, common)) return 'is one of the most common passwords';
  if (new Set(plain).size < 4) return 'must have at least 4 different characters';
  if (isMostlyName(plain, owner)) return 'must not be made of your name or e-mail address';
  return null;
}

/** A common password, also with digits and signs around it, few or common ones: they are what guessing programs add first. */
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
