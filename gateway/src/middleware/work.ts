import type { ActorSigner, CallOptions } from '@panel/rpc';
import type { ZodObject } from 'zod';
import type { Caller } from '../auth/identity.js';
import type { GatewayConfig } from '../config.js';
import { RawReply } from '../http/raw-reply.js';
import { type RequestContext, type RequestMiddleware, timeLeftMs } from '../http/state.js';
import { fail } from '../reasons.js';
import type { Call, Exchange, ListResult, Route } from '../routes/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './authorise.js';

export interface WorkParts {
  readonly services: Services;
  readonly signer: ActorSigner;
  readonly config: Pick<GatewayConfig, 'checkAnswers' | 'maxUploadBytes'>;
}

/** Do what the route is for and write its answer. */
export function work(parts: WorkParts, route: Route): RequestMiddleware {
  const { services } = parts;
  const todo = route.work;
  if (todo === null) {
    return async (ctx) => {
      if (route.access.kind === 'server') await requireServerAccess(services, ctx, route);
      throw fail('NOT_IMPLEMENTED', 'this route is reserved');
    };
  }
  return async (ctx) => {
    const result = await todo(new RouteCall(parts, ctx));
    if (parts.config.checkAnswers) checkAnswer(route, result);
    writeAnswer(ctx, route, result);
  };
}

/**
 * A class, because V8 makes a hidden class of its own for every object literal with a getter, and what the getter closes
 * over, here the whole request, then lives until a full collection.
 */
class RouteCall implements Call {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly services: Services;
  readonly rpc: CallOptions;
  readonly asGateway: CallOptions;
  readonly caller: Caller | null;
  readonly ip: string;
  readonly headers: Call['headers'];
  readonly maxUploadBytes: number;
  readonly exchange: Exchange;
  #signal: AbortSignal | undefined;

  constructor({ services, signer, config }: WorkParts, ctx: RequestContext) {
    const { state, req, res } = ctx;
    const { requestId, ip, caller = null, idempotencyId } = state;
    const actorToken = caller?.actorToken ?? signer.sign({ kind: 'anonymous', ip });
    const timeoutMs = timeLeftMs(state);
    this.params = state.params ?? {};
    this.query = state.query ?? {};
    this.body = state.body;
    this.services = services;
    this.rpc = { actorToken, requestId, idempotencyId, timeoutMs };
    this.asGateway = { requestId, timeoutMs };
    this.caller = caller;
    this.ip = ip;
    this.headers = req.headers;
    this.maxUploadBytes = config.maxUploadBytes;
    const takeOver = () => {
      ctx.respond = false;
    };
    this.exchange = { requestId, request: req, response: res, rate: state.rate, takeOver };
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const gone = new AbortController();
    this.exchange.response.once('close', () => gone.abort(fail('CLIENT_GONE', 'the client is gone')));
    this.#signal = gone.signal;
    return gone.signal;
  }
}

/** Throws where an answer is not what the declaration, and with it the documentation, says. */
function checkAnswer({ answer, path }: Route, result: unknown): void {
  if (result instanceof RawReply || (answer.kind !== 'one' && answer.kind !== 'list')) return;
  const values = answer.kind === 'one' ? [result] : (result as ListResult<unknown>).items;
  for (const value of values) {
    const checked = answer.schema.safeParse(value);
    if (!checked.success) throw new TypeError(`${path} answers not what it declares: ${checked.error.message}`);
  }
  if (answer.kind === 'list') checkNotes(answer.notes, result as ListResult<unknown>, path);
}

function checkNotes(declared: ZodObject | undefined, { notes }: ListResult<unknown>, path: string): void {
  const isRight = declared === undefined ? notes === undefined : declared.safeParse(notes).success;
  if (!isRight) throw new TypeError(`${path} notes in its meta what it does not declare: ${JSON.stringify(notes)}`);
}

function writeAnswer(ctx: RequestContext, route: Route, result: unknown): void {
  if (route.answer.kind === 'socket') return;
  if (result instanceof RawReply) return writeRaw(ctx, result);
  ctx.status = route.status;
  if (route.answer.kind === 'empty') ctx.body = null;
  else if (route.answer.kind === 'list') writeList(ctx, result as ListResult<unknown>);
  else ctx.body = { data: result };
}

function writeList(ctx: RequestContext, { items, page, notes }: ListResult<unknown>): void {
  const { page: current = 1, perPage = 25, total = items.length } = page ?? {};
  const counts = { current_page: current, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
  const meta = notes ? { ...counts, ...notes } : counts;
  ctx.body = { data: items, meta };
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
  // After the first byte there is no other way to say that the rest will not come.
  source.once('error', () => ctx.req.socket.destroy());
  // A HEAD request, or a client that went away, leaves the source unread: end it.
  ctx.res.once('close', () => source.destroy());
}
