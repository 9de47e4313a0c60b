import { invalidFields } from '@panel/kit';
import type { z } from 'zod';
import { fieldMessages } from '../http/field-messages.js';
import type { RequestContext, RequestMiddleware } from './request-state.js';
import type { Route, UploadBody } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './authorise.js';

/**
 * Check query and body against the declaration. On a server's route, somebody without access to the server hears about
 * the server first, as if it did not exist, and not about the body.
 */
export function validate(services: Services, route: Route): RequestMiddleware {
  return async (ctx, next) => {
    const { query, body } = route;
    if (query) ctx.state.query = await checked(services, ctx, route, query, { ...ctx.query });
    if (body?.kind === 'json') ctx.state.body = await checked(services, ctx, route, body.schema, ctx.state.body);
    if (body?.kind === 'upload') ctx.state.body = await checkedUpload(services, ctx, route, body.schema);
    return next();
  };
}

async function checkedUpload(services: Services, ctx: RequestContext, route: Route, schema: z.ZodType) {
  const body = ctx.state.body as UploadBody;
  if (body.kind === 'stream') return body;
  return { kind: 'json', value: await checked(services, ctx, route, schema, body.value) };
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
  if (route.access.kind === 'server') await requireServerAccess(services, ctx, route);
  throw invalidFields(fieldMessages(result.error.issues));
}
