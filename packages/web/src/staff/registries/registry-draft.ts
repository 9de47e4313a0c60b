import type { OptionsOf, Registry } from '@panel/client';
import type { DockerLogin } from './docker-config.js';

export type LoginKind = Registry['kind'];

export interface RegistryDraft {
  readonly host: string;
  /** Empty: all eggs. */
  readonly eggId: string;
  readonly kind: LoginKind;
  readonly username: string;
  /** Empty in both: the stored one. */
  readonly password: string;
  readonly token: string;
}

type RegistryBody = OptionsOf<'POST /admin/registries'>['body'];

/** The panel shows no secrets. */
export function draftOf(registry: Registry | null): RegistryDraft {
  const { host = '', egg_id = null, username = '' } = registry ?? {};
  const kind = registry?.kind ?? 'password';
  return { host, eggId: egg_id ?? '', kind, username, password: '', token: '' };
}

/** A stored secret is for its host and kind of login alone. */
export function needsSecret({ host, kind }: RegistryDraft, registry: Registry | null): boolean {
  return registry === null || host.trim() !== registry.host || kind !== draftOf(registry).kind;
}

/** Secrets are sent as they are. */
export function bodyOf({ host, eggId, kind, username, password, token }: RegistryDraft): RegistryBody {
  const place = { host: host.trim(), egg_id: eggId === '' ? null : eggId };
  if (kind === 'identity_token') return { ...place, ...(token === '' ? {} : { identity_token: token }) };
  return { ...place, username: username.trim(), ...(password === '' ? {} : { password }) };
}

/** With a login of docker's configuration. */
export function withLogin(draft: RegistryDraft, login: DockerLogin): RegistryDraft {
  const { host } = login;
  return 'identityToken' in login
    ? { ...draft, host, kind: 'identity_token', username: '', password: '', token: login.identityToken }
    : { ...draft, host, kind: 'password', username: login.username, password: login.password, token: '' };
}
