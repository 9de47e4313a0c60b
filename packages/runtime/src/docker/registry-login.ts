import { createHmac, randomBytes } from 'node:crypto';
import type { ImageReference } from '@panel/kit/text';
import type { RegistryCredentials } from '../runtime.js';

/** Of this process: a leaked key reveals no password. */
const digestKey = randomBytes(32);

/** Null where they are another registry's. */
export function credentialsFor(
  { registry }: Pick<ImageReference, 'registry'>,
  credentials: RegistryCredentials | undefined,
): RegistryCredentials | null {
  return credentials?.registry === registry ? credentials : null;
}

/** As the engine's API takes it. */
export function authConfigOf({ username, password, identityToken }: RegistryCredentials) {
  return identityToken === '' ? { username, password } : { username, identitytoken: identityToken };
}

/** Equal for equal credentials, without a secret. */
export function digestOf(credentials: RegistryCredentials | null): string {
  if (credentials === null) return '';
  const { username, password, identityToken } = credentials;
  return createHmac('sha256', digestKey)
    .update(JSON.stringify([username, password, identityToken]))
    .digest('base64');
}

/** Of several registries and versions of engines. */
const refusal = new RegExp(
  [
    String.raw`\bunauthorized\b|\bunauthenticated\b|\binsufficient_scope\b|no basic auth credentials|access denied`,
    String.raw`(?<!proxy )authentication required|(?<!permission )\bdenied:|\b40[13] (?:unauthorized|forbidden)|HTTP 40[13]\b`,
  ].join('|'),
  'i',
);

/** For people, where the registry refuses the credentials or asks for some; null: another failure. */
export function refusalIn(message: string, registry: string, credentials: RegistryCredentials | null): string | null {
  if (!refusal.test(message)) return null;
  // Registries hide from anonymous callers which of the two it is.
  const orLacks = /does not exist or may require/i.test(message) ? ', or does not have this image' : '';
  return credentials === null
    ? `the registry ${registry} wants credentials${orLacks}: an administrator can add them`
    : `the registry ${registry} refused the credentials${orLacks}`;
}

/** A registry may repeat in its answer what it was sent. */
export function withoutSecrets(text: string, credentials: RegistryCredentials | null): string {
  if (credentials === null) return text;
  const { username, password, identityToken } = credentials;
  const secrets = password === '' ? [identityToken] : [password, basicOf(username, password)];
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

function basicOf(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
