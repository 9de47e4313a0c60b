import { isRecord } from '../../api/errors.js';

/** As `docker login` keeps it. */
export type DockerLogin = { readonly host: string } & (
  { readonly username: string; readonly password: string } | { readonly identityToken: string }
);

type DockerConfig =
  /** At least one. */
  | { readonly logins: readonly DockerLogin[] }
  /** No such file, no login in it, or its passwords are kept by a program. */
  | { readonly problem: 'wrong' | 'none' | 'elsewhere' };

/** The logins of docker's config.json. */
export function readDockerConfig(text: string): DockerConfig {
  const config = readJson(text);
  if (!isRecord(config)) return { problem: 'wrong' };
  const { auths = {}, credsStore, credHelpers } = config;
  if (!isRecord(auths)) return { problem: 'wrong' };
  const logins = Object.entries(auths).flatMap(([address, entry]) => loginOf(hostOf(address), entry) ?? []);
  if (logins.length > 0) return { logins };
  const hasProgram = typeof credsStore === 'string' || (isRecord(credHelpers) && Object.keys(credHelpers).length > 0);
  return { problem: hasProgram ? 'elsewhere' : 'none' };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Of an address like https://index.docker.io/v1/, as image references name it. */
function hostOf(address: string): string {
  const [host = ''] = address.replace(/^https?:\/\//, '').split('/');
  return host === 'index.docker.io' ? 'docker.io' : host;
}

/** Null: its secret is not in the file. */
function loginOf(host: string, entry: unknown): DockerLogin | null {
  if (!isRecord(entry)) return null;
  const { auth, username, password, identitytoken } = entry;
  if (typeof identitytoken === 'string' && identitytoken !== '') return { host, identityToken: identitytoken };
  if (typeof username === 'string' && typeof password === 'string' && username !== '' && password !== '')
    return { host, username, password };
  const pair = typeof auth === 'string' ? decode(auth) : '';
  const colon = pair.indexOf(':');
  const isWhole = colon > 0 && colon < pair.length - 1;
  return isWhole ? { host, username: pair.slice(0, colon), password: pair.slice(colon + 1) } : null;
}

/** Base64 of UTF-8; empty for anything else. */
function decode(auth: string): string {
  try {
    const bytes = Uint8Array.from(atob(auth.trim()), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '';
  }
}
