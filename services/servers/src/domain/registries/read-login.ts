import { addProblem, type FieldMessages, fieldProblem } from '@panel/kit/errors';
import { isOneLine } from '@panel/kit/text';
import type { Registry, RegistrySecret } from './registry.js';

/** The forms that `docker login` writes. */
export interface GivenLogin {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Base64 of user:password. */
  readonly auth?: string | undefined;
  readonly identityToken?: string | undefined;
}

export interface RegistryLogin {
  readonly username: string;
  /** Null: the stored one. */
  readonly secret: RegistrySecret | null;
}

const maxUsername = 255;
/** Keys of service accounts are whole JSON files. */
const maxSecret = 16_384;

/** `before`: null at creation, which needs a secret. Adds what is wrong to `fields`, by REST field. */
export function readLogin(given: GivenLogin, before: Registry | null, fields: FieldMessages): RegistryLogin {
  const { username, password, auth, identityToken } = given;
  const retained = { username: username ?? before?.username ?? '', secret: null };
  if (refusesForms(given, fields)) return retained;
  if (identityToken !== undefined) {
    const last = before?.secretKind === 'identity_token' ? before.username : '';
    const name = username ?? (auth === undefined ? last : (decode(auth)?.username ?? ''));
    checkUsername(name, fields);
    checkSecret('identity_token', identityToken, fields);
    if (!isOneLine(identityToken)) addProblem(fields, 'identity_token', 'must be one line');
    return { username: name, secret: { kind: 'identity_token', text: identityToken } };
  }
  if (auth !== undefined) return readAuth(auth, fields);
  if (password === undefined && before === null) {
    addProblem(fields, 'password', fieldProblem('required', 'is required, or auth or identity_token in its place'));
    return retained;
  }
  const isPassword = password !== undefined || before?.secretKind === 'password';
  if (isPassword && retained.username === '') addProblem(fields, 'username', fieldProblem('required', 'is required'));
  checkUsername(retained.username, fields);
  if (password === undefined) return retained;
  checkSecret('password', password, fields);
  return { ...retained, secret: { kind: 'password', text: password } };
}

/** More than one. */
function refusesForms({ username, password, auth, identityToken }: GivenLogin, fields: FieldMessages): boolean {
  const refuse = (isWrong: boolean, field: string, other: string) => {
    if (isWrong) addProblem(fields, field, fieldProblem('conflicting', `cannot be given with ${other}`));
    return isWrong;
  };
  // Docker keeps the username of an identity token as an auth without password.
  const isOfToken = auth !== undefined && identityToken !== undefined && decode(auth)?.password === '';
  const hasAuth = auth !== undefined;
  const hasToken = identityToken !== undefined;
  return [
    refuse(hasAuth && password !== undefined, 'auth', 'password'),
    refuse(hasAuth && username !== undefined, 'auth', 'username'),
    refuse(hasToken && password !== undefined, 'identity_token', 'password'),
    refuse(hasToken && hasAuth && !isOfToken, 'identity_token', 'auth'),
  ].includes(true);
}

function readAuth(auth: string, fields: FieldMessages): RegistryLogin {
  const { username, password } = decode(auth) ?? { username: '', password: '' };
  const found: FieldMessages = {};
  if (username === '' || password === '') addProblem(fields, 'auth', 'must be the base64 of user:password');
  else {
    checkUsername(username, found);
    checkSecret('password', password, found);
  }
  for (const problem of Object.values(found).flat()) addProblem(fields, 'auth', problem);
  return { username, secret: { kind: 'password', text: password } };
}

function checkUsername(username: string, fields: FieldMessages): void {
  if (username.length > maxUsername)
    addProblem(fields, 'username', fieldProblem('too_long', `must have at most ${maxUsername} characters`));
  if (!isOneLine(username) || username.includes(':'))
    addProblem(fields, 'username', 'must be one line without a colon, at which registries end it');
}

function checkSecret(field: string, secret: string, fields: FieldMessages): void {
  if (secret === '') addProblem(fields, field, fieldProblem('required', 'is required'));
  if (secret.length > maxSecret)
    addProblem(fields, field, fieldProblem('too_long', `must have at most ${maxSecret} characters`));
  if (secret.includes('\0')) addProblem(fields, field, 'must not hold a NUL');
}

/** Null for other text than base64 of UTF-8 with a colon. */
function decode(auth: string): { readonly username: string; readonly password: string } | null {
  const given = auth.trim();
  const bytes = Buffer.from(given, 'base64');
  const text = bytes.toString('utf8');
  const isExact = bytes.toString('base64') === given && Buffer.from(text, 'utf8').equals(bytes);
  const colon = text.indexOf(':');
  return isExact && colon >= 0 ? { username: text.slice(0, colon), password: text.slice(colon + 1) } : null;
}
