import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

interface RegistryAccount {
  readonly username: string;
  readonly password: string;
  /** For the scheme `token`. */
  readonly identityToken?: string;
  /** Default: all. */
  readonly repositories?: readonly string[];
}

export interface RegistryLoginOptions {
  readonly scheme: 'basic' | 'token';
  readonly accounts: readonly RegistryAccount[];
}

interface Access {
  readonly account: RegistryAccount;
  readonly repository: string;
}

const service = 'panel-test';

/** Who may read what, as registries have it: Basic (RFC 7617), or tokens for one repository from `/token`. */
export class RegistryLogin {
  readonly #tokens = new Map<string, Access>();

  constructor(private readonly options: RegistryLoginOptions) {}

  /** Null: refused. An empty repository: the beginning of every client. */
  accountFor({ headers }: IncomingMessage, repository: string): RegistryAccount | null {
    if (this.options.scheme === 'basic') return this.#mayRead(this.#byPassword(headers.authorization), repository);
    const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    const access = this.#tokens.get(token);
    return access?.repository === repository ? access.account : null;
  }

  refuse({ headers }: IncomingMessage, address: string, repository: string, response: ServerResponse): void {
    const scope = repository === '' ? '' : `,scope="repository:${repository}:pull"`;
    const challenge = {
      basic: `Basic realm="${service}"`,
      token: `Bearer realm="http://${address}/token",service="${service}"${scope}`,
    };
    response.setHeader('WWW-Authenticate', challenge[this.options.scheme]);
    unauthorized(response, decode(headers.authorization));
  }

  /** The endpoint `/token`: GET with Basic, or POST of an OAuth 2 refresh token, which Docker calls an identity token. */
  async answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRefresh = request.method === 'POST';
    const given = isRefresh
      ? new URLSearchParams(await text(request))
      : new URL(request.url ?? '', 'http://registry').searchParams;
    const account = isRefresh ? this.#byIdentityToken(given) : this.#byPassword(request.headers.authorization);
    const [, repository = ''] = /^repository:(.+):pull$/.exec(given.get('scope') ?? '') ?? [];
    if (given.get('service') !== service || !this.#mayRead(account, repository))
      return unauthorized(response, given.get('refresh_token') ?? decode(request.headers.authorization));
    const token = randomUUID();
    if (account) this.#tokens.set(token, { account, repository });
    const body = isRefresh ? { access_token: token, scope: given.get('scope') } : { token };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ...body, expires_in: 60 }));
  }

  #byPassword(authorization = ''): RegistryAccount | null {
    const sent = decode(authorization);
    return this.options.accounts.find(({ username, password }) => sent === `${username}:${password}`) ?? null;
  }

  #byIdentityToken(form: URLSearchParams): RegistryAccount | null {
    const sent = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null;
    return (
      this.options.accounts.find(({ identityToken }) => identityToken !== undefined && identityToken === sent) ?? null
    );
  }

  #mayRead(account: RegistryAccount | null, repository: string): RegistryAccount | null {
    const isListed = repository === '' || (account?.repositories?.includes(repository) ?? true);
    return isListed ? account : null;
  }
}

function decode(authorization = ''): string {
  const [, encoded = ''] = /^Basic (.+)$/.exec(authorization) ?? [];
  return Buffer.from(encoded, 'base64').toString();
}

/** It repeats the secret, as a registry may. */
function unauthorized(response: ServerResponse, sent: string): void {
  const errors = [{ code: 'UNAUTHORIZED', message: `authentication required instead of ${sent}` }];
  response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ errors }));
}
