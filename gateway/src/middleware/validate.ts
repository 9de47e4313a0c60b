import { type FieldMessages, fieldProblem, invalidFields, issueMessages } from '@panel/kit/errors';
import type { z } from 'zod';
import type { RequestContext, RequestMiddleware } from './request-state.js';
import type { Route, UploadBody } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './access.js';

/** Without access, the response equals that of an unknown server, for any body. */
export function validate(services: Services, route: Route): RequestMiddleware {
  const { query, body } = route;
  const hasNothing = !query && !body;
  const check: RequestMiddleware = async (ctx, next) => {
    const unknown = unknownParameters(route, ctx);
    if (unknown.length > 0)
      await reject(
        services,
        ctx,
        route,
        Object.fromEntries(unknown.map((name) => [name, [fieldProblem('unknown_field', 'is not a known parameter')]])),
      );
    if (query) ctx.state.query = await checked(services, ctx, route, query, { ...ctx.query });
    if (body?.kind === 'json') ctx.state.body = await checked(services, ctx, route, body.schema, ctx.state.body);
    if (body?.kind === 'upload') ctx.state.body = await checkedUpload(services, ctx, route, body.schema);
    return next();
  };
  return (ctx, next) => (hasNothing && ctx.querystring === '' ? next() : check(ctx, next));
}

async function checkedUpload(services: Services, ctx: RequestContext, route: Route, schema: z.ZodType) {
  const body = ctx.state.body as UploadBody;
  if (body.kind === 'stream') return body;
  return { ...body, value: await checked(services, ctx, route, schema, body.value) };
}

async function checked(
  services: Services,
  ctx: RequestContext,
  route: Route,
  schema: z.ZodType,
  value: unknown,
): Promise<unknown> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  return reject(services, ctx, route, issueMessages(result.error.issues));
}

/** Otherwise misspelt parameters would be ignored. */
function unknownParameters(route: Route, ctx: RequestContext): string[] {
  if (ctx.querystring === '') return [];
  return Object.keys(ctx.query).filter((name) => !Object.hasOwn(route.query?.shape ?? {}, name));
}

async function reject(services: Services, ctx: RequestContext, route: Route, fields: FieldMessages): Promise<never> {
  if (route.access.kind === 'server') await requireServerAccess(services, ctx, route);
  throw invalidFields(fields);
}
