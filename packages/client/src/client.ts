import { ApiError, TwoFactorRequired } from './api-error.js';
import { openConsole, type ConsoleSocket } from './console.js';
import {
  type Answer,
  type AnswerOf,
  anyBytes,
  type BytesPath,
  type CommonOptions,
  type EndpointAt,
  type EnvelopeEndpoint,
  type ItemOf,
  type ListAnswer,
  type ListPath,
  type Method,
  type OptionsArgument,
  type PathOf,
} from './endpoint.js';
import type { Endpoints, TokenSet } from './generated/api.js';
import { eachItem } from './pages.js';
import { Session } from './session.js';
import { type AnyOptions, perform, toWireRequest } from './perform.js';
import type { OpenSocket } from './socket.js';
import { createTransport, type Query, type WireRequest } from './transport.js';

export interface ClientOptions {
  /** Address of a gateway, like http://127.0.0.1:8080. */
  readonly baseUrl: string;
  /** An API key or an access token to begin with; `login` replaces it. */
  readonly token?: string;
  /** Bound of one request in milliseconds, but for those that send a stream. Default 30 000. */
  readonly timeoutMs?: number;
  /** How many milliseconds a request may wait, all in all, when the panel answers 429. Default 0: it throws at once. */
  readonly waitOnRateLimitMs?: number;
}

/** What proves the second factor: a code of the app, or a recovery code. */
export type SecondFactor = Pick<Endpoints['POST /auth/2fa/verify']['body'], 'code' | 'recovery_code'>;

/** Calls whose parameters, bodies and answers the compiler knows. */
interface TypedCalls {
  get<P extends PathOf<'GET'>>(path: P, ...options: OptionsArgument<EndpointAt<'GET', P>>): Answered<'GET', P>;
  post<P extends PathOf<'POST'>>(path: P, ...options: OptionsArgument<EndpointAt<'POST', P>>): Answered<'POST', P>;
  put<P extends PathOf<'PUT'>>(path: P, ...options: OptionsArgument<EndpointAt<'PUT', P>>): Answered<'PUT', P>;
  delete<P extends PathOf<'DELETE'>>(
    path: P,
    ...options: OptionsArgument<EndpointAt<'DELETE', P>>
  ): Answered<'DELETE', P>;
  /** The same for an endpoint by its whole name, like 'POST /servers/{id}/power'. */
  request<E extends EnvelopeEndpoint>(endpoint: E, ...options: OptionsArgument<E>): Promise<AnswerOf<E>>;
  /** Every item of a list, page after page of 100 unless `query.per_page` says otherwise. */
  pages<P extends ListPath>(
    path: P,
    ...options: OptionsArgument<EndpointAt<'GET', P>>
  ): AsyncIterable<ItemOf<EndpointAt<'GET', P>>>;
  /**
   * An answer in bytes, as a stream in `body`; `timeoutMs` bounds the wait for its beginning only. `headers.range` asks
   * for a part.
   */
  download<P extends BytesPath>(path: P, ...options: OptionsArgument<EndpointAt<'GET', P>>): Promise<Response>;
}

interface Signing {
  /** Sign in and use the tokens from now on. Throws TwoFactorRequired where a code is needed and `secondFactor` missing. */
  login(email: string, password: string, secondFactor?: () => SecondFactor | Promise<SecondFactor>): Promise<TokenSet>;
  /** Exchange the refresh token now. Requests do it by themselves. */
  refresh(): Promise<TokenSet>;
  /** End the session here and at the panel. */
  logout(): Promise<void>;
  /** What `Authorization` carries now. */
  token(): string | undefined;
}

/**
 * A person or program talking to one panel. Paths are those of the API reference without /api/v1, ids go into `params`
 * (`{backup-id}` is called `backup_id` there). Every call throws ApiError for an answer outside 2xx, and a DOMException
 * called TimeoutError or AbortError when there was none. A 401 is answered by exchanging the refresh token, once for all
 * requests that met it, and asking again.
 */
export interface PanelClient extends TypedCalls, Signing {
  /** An endpoint that this client does not know, at a path with its ids in it. */
  call(method: Method, path: string, options?: UntypedOptions): Promise<Answer<unknown> | ListAnswer<unknown>>;
  /** Open the console socket of a server; its access token is renewed as long as the session lasts. */
  openConsole(serverId: string): Promise<ConsoleSocket>;
}

type Answered<M extends Method, P extends string> = Promise<AnswerOf<EndpointAt<M, P>>>;

/** What is sent to an endpoint of which nothing is known. */
export interface UntypedOptions extends CommonOptions {
  readonly query?: Query;
  /** Sent as JSON, unless it is a string or bytes. */
  readonly body?: unknown;
}

const defaultTimeoutMs = 30_000;

/** A client whose consoles are opened by `openSocket`. Holds tokens in memory only. */
export function createClient(options: ClientOptions, openSocket: OpenSocket): PanelClient {
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  const transport = createTransport(baseUrl);
  const wire = (method: Method, path: string, given: AnyOptions) =>
    toWireRequest(method, path, given, options.timeoutMs ?? defaultTimeoutMs);
  const session = new Session(async (refreshToken) => {
    const request = wire('POST', '/auth/refresh', { body: { refresh_token: refreshToken } });
    return (await transport.send(request, undefined)).data as TokenSet;
  }, options.token);
  const withSession = async <T>(request: WireRequest, send: (token: string | undefined) => Promise<T>) =>
    perform(request, session, options.waitOnRateLimitMs ?? 0, send);

  /** `never` is assignable to the answer type of every endpoint, which only the compiler knows. */
  async function call(method: Method, path: string, given: AnyOptions = {}): Promise<never> {
    const request = wire(method, path, given);
    return (await withSession(request, async (token) => transport.send(request, token))) as never;
  }

  const typed: TypedCalls = {
    get: async (path: string, given?: AnyOptions) => call('GET', path, given),
    post: async (path: string, given?: AnyOptions) => call('POST', path, given),
    put: async (path: string, given?: AnyOptions) => call('PUT', path, given),
    delete: async (path: string, given?: AnyOptions) => call('DELETE', path, given),
    request: async (endpoint: string, given?: AnyOptions) => {
      const [method = '', path = ''] = endpoint.split(' ');
      return call(method as Method, path, given);
    },
    pages: (path: string, given: AnyOptions = {}) =>
      eachItem(async (page) => call('GET', path, { ...given, query: { per_page: 100, ...given.query, page } })),
    download: async (path: string, given: AnyOptions = {}) => {
      const headers = { accept: `${anyBytes}, */*;q=0.5`, ...given.headers };
      const request = wire('GET', path, { ...given, headers });
      return withSession(request, async (token) => transport.open(request, token));
    },
  };
  return {
    ...typed,
    ...signing(typed, session),
    call: async (method, path, { body, ...given } = {}) => {
      const isBytes = typeof body === 'string' || body instanceof Uint8Array;
      return call(method, path, { ...given, ...(isBytes ? { bytes: body } : { body }) });
    },
    openConsole: async (serverId) => {
      const request = wire('GET', '/servers/{id}/ws', { params: { id: serverId } });
      const url = `${baseUrl.replace(/^http/, 'ws')}/api/v1${request.path}`;
      const renew = async () => (session.canRenew ? (await session.renew()).access_token : undefined);
      const detail = wire('GET', '/servers/{id}', { params: { id: serverId } });
      return withSession(request, async (token = '') => {
        const explainRefusal = async () => transport.send(detail, token);
        return openConsole(openSocket({ url, token, explainRefusal }), renew);
      });
    },
  };
}

function signing(calls: TypedCalls, session: Session): Signing {
  return {
    login: async (email, password, secondFactor) => {
      const { data } = await calls.post('/auth/login', { body: { email, password } });
      if (!('requires_2fa' in data)) return session.keep(data);
      if (!secondFactor) throw new TwoFactorRequired();
      const proof = await secondFactor();
      return session.keep((await calls.post('/auth/2fa/verify', { body: { token: data.token, ...proof } })).data);
    },
    refresh: async () => session.renew(),
    logout: async () => {
      try {
        await calls.post('/auth/logout');
      } catch (error) {
        // The session had ended already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
      session.forget();
    },
    token: () => session.token,
  };
}
