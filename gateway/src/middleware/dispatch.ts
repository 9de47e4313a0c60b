import type { ActorSigner, CallOptions } from '@panel/rpc';
import type { Authenticator } from '../auth/authenticator.js';
import type { Caller, KnownCredential } from '../auth/identity.js';
import type { GatewayConfig } from '../config.js';
import type { CountryFinder } from '../http/caller-country.js';
import { clientGone } from '../http/client-gone.js';
import { HeadedReply } from '../http/headed-reply.js';
import { JsonList, JsonValue } from '../http/json-reply.js';
import { RawReply } from '../http/raw-reply.js';
import { type RequestContext, type RequestMiddleware, showQuota, timeLeftMs } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import type { QuotaState } from '../limits/rules.js';
import { fail } from '../reasons.js';
import type { RouteRequest, RawExchange, ListResult, Route } from '../declaration/route.js';
import { checkReply } from './check-reply.js';
import type { Services } from '../services.js';
import type { PanelSettings } from '../settings/panel-settings.js';
import type { JsonThreads } from '../threads/json-threads.js';

interface DispatchDependencies {
  readonly services: Services;
  readonly panelSettings: PanelSettings;
  readonly jsonThreads: JsonThreads;
  readonly signer: ActorSigner;
  readonly callerCountry: CountryFinder;
  readonly authenticator: Pick<Authenticator, 'recall'>;
  readonly limiter: Pick<RateLimiter, 'countServer'>;
  readonly clock: () => Date;
  readonly config: Pick<GatewayConfig, 'checkResponses' | 'maxUploadBytes' | 'testClock'>;
}

export function dispatch(dependencies: DispatchDependencies, route: Route): RequestMiddleware {
  return async (ctx) => {
    const reply = await route.handler(new DispatchedRequest(dependencies, ctx, route));
    if (reply instanceof HeadedReply) ctx.set(reply.headers);
    const result: unknown = reply instanceof HeadedReply ? reply.value : reply;
    if (dependencies.config.checkResponses) checkReply(route, reply);
    writeResponse(ctx, route, result);
  };
}

/**
 * A class: V8 gives each object literal with a getter its own hidden class, which retains the request until a full
 * collection.
 */
class DispatchedRequest implements RouteRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly services: Services;
  readonly panelSettings: PanelSettings;
  readonly jsonThreads: JsonThreads;
  readonly rpc: CallOptions;
  readonly asGateway: CallOptions;
  readonly caller: Caller | null;
  readonly ip: string;
  readonly country: string;
  readonly headers: RouteRequest['headers'];
  readonly testTime: () => Date | null;
  readonly maxUploadBytes: number;
  readonly rawExchange: RawExchange;
  readonly showQuota: RouteRequest['showQuota'];
  readonly #authenticator: DispatchDependencies['authenticator'];
  readonly #limiter: DispatchDependencies['limiter'];
  readonly #rate: Route['rate'];
  readonly #ctx: Pick<RequestContext, 'accepts' | 'state'>;
  #signal: AbortSignal | undefined;

  constructor(dependencies: DispatchDependencies, ctx: RequestContext, { rate }: Route) {
    const { authenticator, limiter, services, panelSettings, jsonThreads, signer, config } = dependencies;
    const { state, req, res } = ctx;
    const { requestId, trace, ip, caller = null, idempotencyId } = state;
    const actorToken = caller?.actorToken ?? signer.sign({ kind: 'anonymous', ip });
    const timeoutMs = timeLeftMs(state);
    this.#authenticator = authenticator;
    this.#limiter = limiter;
    this.#rate = rate;
    this.#ctx = ctx;
    this.params = state.params ?? {};
    this.query = state.query ?? {};
    this.body = state.body;
    this.services = services;
    this.panelSettings = panelSettings;
    this.jsonThreads = jsonThreads;
    this.rpc = { actorToken, requestId, trace, idempotencyId, timeoutMs };
    this.asGateway = { requestId, trace, timeoutMs };
    this.caller = caller;
    this.ip = ip;
    this.country = dependencies.callerCountry(req);
    this.headers = req.headers;
    this.testTime = () => (config.testClock ? dependencies.clock() : null);
    this.maxUploadBytes = config.maxUploadBytes;
    this.showQuota = (quota: QuotaState) => showQuota(state, quota);
    const takeOver = () => {
      ctx.respond = false;
    };
    this.rawExchange = { requestId, request: req, response: res, rate: state.rate, takeOver };
  }

  async rpcOfMaker(credential: KnownCredential): Promise<CallOptions> {
    const { actorToken, identity } = await this.#authenticator.recall(credential, this.ip);
    if (identity.mustSetUpTwoFactor) throw fail('TWO_FACTOR_REQUIRED', 'this needs two-factor authentication first');
    return { ...this.asGateway, actorToken };
  }

  async countUpload(): Promise<void> {
    if (this.#rate !== 'upload') return;
    const quota = await this.#limiter.countServer('upload', this.#ctx.state.params?.['id'] ?? '');
    this.showQuota(quota);
    assertWithinLimit([quota]);
  }

  preferredType(types: readonly string[]): string {
    const [first = ''] = types;
    return this.#ctx.accepts([...types]) || first;
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    this.#signal = clientGone(this.rawExchange.response);
    return this.#signal;
  }
}

function writeResponse(ctx: RequestContext, route: Route, result: unknown): void {
  if (route.response.kind === 'socket') return;
  if (result instanceof RawReply) return writeRaw(ctx, result);
  ctx.status = route.status;
  if (route.response.kind === 'empty') ctx.body = null;
  else if (result instanceof JsonList) writeJsonList(ctx, result);
  else if (result instanceof JsonValue) writeJson(ctx, [valueBegin, result.json, valueEnd]);
  else if (route.response.kind === 'list') writeList(ctx, result as ListResult<unknown>);
  else ctx.body = { data: result };
}

function writeList(ctx: RequestContext, { items, page, extraMeta }: ListResult<unknown>): void {
  const counts = countsOf(page, items.length);
  const meta = extraMeta ? { ...counts, ...extraMeta } : counts;
  ctx.body = { data: items, meta };
}

const [valueBegin, valueEnd] = [Buffer.from('{"data":'), Buffer.from('}')];
const [listBegin, comma] = [Buffer.from('{"data":['), Buffer.from(',')];

function writeJsonList(ctx: RequestContext, { items, page }: JsonList): void {
  const listEnd = Buffer.from(`],"meta":${JSON.stringify(countsOf(page, items.length))}}`);
  const separated = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
  writeJson(ctx, [listBegin, ...separated, listEnd]);
}

function writeJson(ctx: RequestContext, parts: readonly Buffer[]): void {
  ctx.type = 'application/json';
  ctx.body = Buffer.concat(parts);
}

function countsOf(page: ListResult<unknown>['page'], found: number) {
  const { page: current = 1, perPage = 25, total = found } = page ?? {};
  return { current_page: current, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
}

function writeRaw(ctx: RequestContext, reply: RawReply): void {
  const { status = 200, length, headers = {} } = reply.options;
  ctx.status = status;
  ctx.set(headers);
  ctx.type = reply.type;
  ctx.body = reply.body;
  if (length !== undefined) ctx.length = length;
  if (typeof reply.body === 'string' || Buffer.isBuffer(reply.body)) return;
  const source = reply.body;
  // The only signal after the first byte.
  source.once('error', () => ctx.req.socket.destroy());
  // HEAD requests and disconnects leave the source unread.
  ctx.res.once('close', () => source.destroy());
}
