import { ApiError } from './api-error.js';
import { openConsole, type ConsoleSocket } from './console.js';

export interface ClientOptions {
  /** Address of a gateway, like http://127.0.0.1:8080. */
  readonly baseUrl: string;
  /** An API key or an access token to begin with; `login` replaces it. */
  readonly token?: string;
  /** Bound of one request in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON, unless it is a string or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface PageMeta {
  readonly current_page: number;
  readonly per_page: number;
  readonly total: number;
  readonly total_pages: number;
}

/** An answer with its envelope taken off. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
  /** Lists only. */
  readonly meta: PageMeta | undefined;
}

export interface TokenSet {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

/** A person or program talking to one panel. */
export interface PanelClient {
  /** Send a request to a path under /api/v1, e.g. "/servers". Throws ApiError for every answer outside 2xx. */
  request<T>(method: Method, path: string, options?: RequestOptions): Promise<Answer<T>>;
  /** Sign in and use the tokens from now on. Throws ApiError (401) for wrong ones. */
  login(email: string, password: string): Promise<TokenSet>;
  /** Exchange the refresh token. Done by `request` on a 401 without being asked. */
  refresh(): Promise<TokenSet>;
  logout(): Promise<void>;
  /** Open the console socket of a server. Rejects with ApiError when the panel refuses it. */
  openConsole(serverId: string): Promise<ConsoleSocket>;
  /** What `Authorization` carries now. */
  token(): string | undefined;
}

/** A client of the panel at `baseUrl`. Holds tokens in memory only. */
export function createPanelClient(options: ClientOptions): PanelClient {
  const base = options.baseUrl.replace(/\/$/, '');
  let token = options.token;
  let refreshToken: string | undefined;
  let refreshing: Promise<TokenSet> | undefined;

  async function send<T>(method: Method, path: string, request: RequestOptions): Promise<Answer<T>> {
    const url = new URL(`${base}/api/v1${path}`);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const isRaw = typeof request.body === 'string' || request.body instanceof Uint8Array;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000);
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(request.body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...request.headers,
      },
      ...(request.body === undefined
        ? {}
        : { body: isRaw ? (request.body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(request.body) }),
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
    });
    return read<T>(response);
  }

  async function exchange(): Promise<TokenSet> {
    const { data } = await send<TokenSet>('POST', '/auth/refresh', { body: { refresh_token: refreshToken } });
    return keep(data);
  }

  function keep(tokens: TokenSet): TokenSet {
    token = tokens.access_token;
    refreshToken = tokens.refresh_token;
    return tokens;
  }

  const client: PanelClient = {
    request: async <T>(method: Method, path: string, request: RequestOptions = {}) => {
      const usedToken = token;
      try {
        return await send<T>(method, path, request);
      } catch (error) {
        const canRefresh = error instanceof ApiError && error.status === 401 && refreshToken !== undefined;
        if (!canRefresh || path.startsWith('/auth/')) throw error;
        // Another request may have exchanged it meanwhile: then the fresh token only has to be used.
        if (token === usedToken) await client.refresh();
        return send<T>(method, path, request);
      }
    },
    login: async (email, password) =>
      keep((await send<TokenSet>('POST', '/auth/login', { body: { email, password } })).data),
    refresh: async () => {
      // One exchange at a time: the second of two would present a token that is already used.
      refreshing ??= exchange().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    logout: async () => {
      await send('POST', '/auth/logout', {});
      token = undefined;
      refreshToken = undefined;
    },
    openConsole: async (serverId) =>
      openConsole(`${base.replace(/^http/, 'ws')}/api/v1/servers/${serverId}/ws`, token ?? ''),
    token: () => token,
  };
  return client;
}

async function read<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text();
  const body = parse(text);
  if (!response.ok) throw ApiError.from(response, body);
  const envelope = (typeof body === 'object' && body !== null ? body : {}) as { data?: T; meta?: PageMeta };
  return { status: response.status, headers: response.headers, data: envelope.data as T, meta: envelope.meta };
}

function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return { data: text };
    throw error;
  }
}
